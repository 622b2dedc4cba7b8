// Scores rows with an exported PMML file, by jpmml-evaluator (org.jpmml:pmml-evaluator-metro, AGPL). Cells without quotes,
// from standard input to standard output:
//   xofm export model.json --to pmml -o model.pmml && java -cp 'jars/*' Score.java model.pmml <rows.csv
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jpmml.evaluator.Evaluator;
import org.jpmml.evaluator.InputField;
import org.jpmml.evaluator.LoadingModelEvaluatorBuilder;

public class Score {
  public static void main(String[] arguments) throws Exception {
    Evaluator evaluator = new LoadingModelEvaluatorBuilder().load(new File(arguments[0])).build();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    List<String> names = Arrays.asList(in.readLine().split(",", -1));
    System.out.println("score,class,reason");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] cells = line.split(",", -1);
      Map<String, Object> row = new HashMap<>();
      for (InputField field : evaluator.getInputFields()) {
        String cell = cells[names.indexOf(field.getName())];
        row.put(field.getName(), field.prepare(cell.isEmpty() ? null : cell));
      }
      Map<String, ?> found = evaluator.evaluate(row);
      System.out.println(found.get("score") + "," + found.get("class") + "," + found.get("reason_1"));
    }
  }
}
