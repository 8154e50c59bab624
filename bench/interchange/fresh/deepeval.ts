import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesIn, inFolder, printImports, pythonWith, runIn } from './run-tool.ts'

// `node bench/interchange/fresh/deepeval.ts`: runs three test cases with the current release of DeepEval.

const SUITE = `
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import BaseMetric, ExactMatchMetric
from deepeval.test_case import LLMTestCase, ToolCall

class Length(BaseMetric):
    threshold = 0.5
    evaluation_model = "rule"
    evaluation_cost = 0.0001
    def __init__(self, breaks): self.breaks = breaks
    @property
    def __name__(self): return "Breaks" if self.breaks else "Length"
    def measure(self, case):
        if self.breaks and "Lima" in case.input: raise ValueError("the judge did not answer")
        self.score = min(1.0, len(case.actual_output) / 40)
        self.success = self.score >= self.threshold
        self.reason = f"{len(case.actual_output)} characters"
        return self.score
    async def a_measure(self, case, *args, **kwargs): return self.measure(case)
    def is_successful(self): return bool(self.success)

cases = [
    LLMTestCase(name="paris", input="Of which country is Paris the capital?", actual_output="Paris is the capital of France.",
        expected_output="Paris is the capital of France.", completion_time=0.8, token_cost=0.0002, tags=["easy"],
        tools_called=[ToolCall(name="lookup", input_parameters={"city": "Paris"}, output="France")]),
    LLMTestCase(input="Of which country is Lima the capital?", actual_output="Lima is the capital of Peru", expected_output="Peru"),
    LLMTestCase(name="bonn", input="Of which country is Bonn the capital?", actual_output="None.", expected_output="None."),
]
evaluate(cases, [Length(False), Length(True), ExactMatchMetric()], identifier="capitals", hyperparameters={"model": "table-small"},
    error_config=ErrorConfig(ignore_errors=True), display_config=DisplayConfig(show_indicator=False, print_results=False),
    async_config=AsyncConfig(run_async=False))
`

await inFolder('deepeval', async (folder) => {
  const python = pythonWith(folder, 'deepeval')
  writeFileSync(join(folder, 'suite.py'), SUITE)
  const env = { DEEPEVAL_TELEMETRY_OPT_OUT: '1', CONFIDENT_OPEN_BROWSER: '0' }
  runIn(folder, python, ['suite.py'], { ...env, DEEPEVAL_RESULTS_FOLDER: join(folder, 'results') })
  runIn(folder, python, ['suite.py'], {
    ...env,
    DEEPEVAL_RESULTS_FOLDER: join(folder, 'store'),
    DEEPEVAL_LOCAL_STORE: 'sqlite',
  })
  await printImports(filesIn(folder, /^test_run_.*\.json$|^deepeval\.db$|latest.*\.json$/))
})
