import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inFolder, printImports, pythonWith, runIn } from './run-tool.ts'

// `node bench/interchange/fresh/mlflow.ts`: evaluates three questions with the current release of MLflow.

const SUITE = `
import json, mlflow
from mlflow.entities import AssessmentSource, Feedback
from mlflow.genai.scorers import scorer

mlflow.set_tracking_uri("sqlite:///mlflow.db")
mlflow.set_experiment("capitals")

@scorer
def contains_country(outputs, expectations): return expectations["country"] in str(outputs)
@scorer
def length_score(outputs): return min(1.0, len(str(outputs)) / 40)
@scorer
def judged(outputs):
    return Feedback(name="judged", value="yes" if str(outputs).endswith(".") else "no", rationale="looks at the full stop",
        source=AssessmentSource(source_type="LLM_JUDGE", source_id="rule-judge"))
@scorer
def breaks(outputs):
    if "Peru" in str(outputs): raise ValueError("the judge did not answer")
    return True

def predict(question):
    if "Bonn" in question: raise RuntimeError("503 from upstream")
    return "Lima is the capital of Peru" if "Lima" in question else "Paris is the capital of France."

data = [{"inputs": {"question": f"Of which country is {city} the capital?"}, "expectations": {"country": country}}
    for city, country in [("Paris", "France"), ("Lima", "Peru"), ("Bonn", "none")]]
with mlflow.start_run(run_name="first"):
    mlflow.log_param("temperature", "0")
    mlflow.genai.evaluate(data=data, predict_fn=predict, scorers=[contains_country, length_score, judged, breaks])
experiment = mlflow.get_experiment_by_name("capitals").experiment_id
traces = mlflow.search_traces(locations=[experiment], return_type="list")
json.dump([trace.to_dict() for trace in traces], open("traces.json", "w"))
`

await inFolder('mlflow', async (folder) => {
  const python = pythonWith(folder, 'mlflow')
  writeFileSync(join(folder, 'suite.py'), SUITE)
  runIn(folder, python, ['suite.py'], { MLFLOW_DISABLE_TELEMETRY: 'true', MLFLOW_GENAI_EVAL_MAX_WORKERS: '2' })
  await printImports([join(folder, 'traces.json'), join(folder, 'mlflow.db')])
})
