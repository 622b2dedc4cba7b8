-- Scores a million rows with an exported SELECT, in SQLite, and says how fast:
--   xofm export model.json --to sql --dialect sqlite --table rows --id id -o score.sql
--   (echo '.import --csv rows.csv given'; echo 'CREATE VIEW scored AS'; cat score.sql; echo ';'; cat score_million.sql) | sqlite3
-- The file's rows again and again.
CREATE TABLE rows AS
WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < 999999)
SELECT n AS id, given.* FROM counted JOIN given ON given.rowid = 1 + n % (SELECT count(*) FROM given);
CREATE TABLE clock(at REAL);
INSERT INTO clock VALUES (julianday('now'));
CREATE TABLE scores AS SELECT * FROM scored;
INSERT INTO clock VALUES (julianday('now'));
.mode csv
.headers on
SELECT score, class, reason_1 AS reason FROM scores WHERE id < (SELECT count(*) FROM given) ORDER BY id;
.headers off
.mode list
SELECT count(*) || ' rows scored, ' || round(count(*) / (SELECT 86400 * (max(at) - min(at)) FROM clock)) || ' rows per second'
FROM scores;
