// Scores rows by models in PMML, which must be valid by its schema: for each argument MODEL, reads MODEL.rows and writes MODEL.scores.
//
// Lines of cells between tabs: the names of the columns, then the rows. A cell is a number, or a text in Base64 behind
// ':', or empty where there is none.
import java.io.File;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import org.jpmml.evaluator.Evaluator;
import org.jpmml.evaluator.EvaluatorUtil;
import org.jpmml.evaluator.InputField;
import org.jpmml.evaluator.LoadingModelEvaluatorBuilder;
import org.jpmml.evaluator.OutputField;

public class Pmml {
  static Object value(String cell) {
    if (cell.isEmpty()) return null;
    if (!cell.startsWith(":")) return Double.parseDouble(cell);
    return new String(Base64.getDecoder().decode(cell.substring(1)), StandardCharsets.UTF_8);
  }

  static String cell(Object value) {
    if (!(value instanceof String)) return value == null ? "" : value.toString();
    return ":" + Base64.getEncoder().encodeToString(((String) value).getBytes(StandardCharsets.UTF_8));
  }

  public static void main(String[] models) throws Exception {
    Schema schema = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI)
        .newSchema(ClassLoader.getSystemResource("pmml.xsd"));
    for (String model : models) {
      schema.newValidator().validate(new StreamSource(new File(model)));
      Evaluator evaluator = new LoadingModelEvaluatorBuilder().load(new File(model)).build();
      evaluator.verify();
      List<String> lines = Files.readAllLines(Path.of(model + ".rows"));
      List<String> names = new ArrayList<>();
      for (String cell : lines.get(0).split("\t", -1)) names.add((String) value(cell));
      try (PrintWriter out = new PrintWriter(model + ".scores", StandardCharsets.UTF_8)) {
        List<String> columns = new ArrayList<>();
        for (OutputField field : evaluator.getOutputFields()) columns.add(cell(field.getName()));
        out.println(String.join("\t", columns));
        for (String line : lines.subList(1, lines.size())) {
          String[] cells = line.split("\t", -1);
          Map<String, Object> row = new LinkedHashMap<>();
          for (InputField field : evaluator.getInputFields()) {
            row.put(field.getName(), field.prepare(value(cells[names.indexOf(field.getName())])));
          }
          Map<String, ?> results = EvaluatorUtil.decodeAll(evaluator.evaluate(row));
          List<String> found = new ArrayList<>();
          for (OutputField field : evaluator.getOutputFields()) found.add(cell(results.get(field.getName())));
          out.println(String.join("\t", found));
        }
      }
    }
  }
}
