import { join } from 'node:path'
import { importAndPrint, withPythonTool } from './python-tool.ts'

// Runs the newest Inspect AI with its stand-in model, imports its logs in both forms, and prints what Inspect counted
// and what the import gave. Run it by hand: `node bench/interchange/fresh/inspect.ts`.

const TASK = `
from inspect_ai import Task, task, Epochs
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes, model_graded_qa, scorer, accuracy, Score, mean
from inspect_ai.solver import generate, solver, system_message, use_tools
from inspect_ai.tool import tool

QUESTIONS = {"Paris": "France", "Lima": "Peru", "Cairo": "Egypt", "Oslo": "Norway"}

@tool
def look_up():
    async def execute(city: str):
        """Look up a city.

        Args:
            city: The name of the city.
        """
        return QUESTIONS.get(city, "unknown")
    return execute

@solver
def sometimes_fails():
    async def solve(state, generate):
        if state.sample_id == "Cairo":
            raise RuntimeError("the tool server is unreachable")
        return state
    return solve

@scorer(metrics={"style": [mean()], "facts": [mean()]})
def aspects():
    async def score(state, target):
        return Score(value={"style": 1, "facts": 0.25}, explanation="two aspects")
    return score

# Without usage, the stand-in model would fetch a tokenizer to count tokens.
def answers(text_calls):
    outputs = [
        ModelOutput.for_tool_call("mockllm", "look_up", {"city": "Paris"}) if item is None else ModelOutput.from_content("mockllm", item)
        for item in text_calls
    ]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=20, output_tokens=8, total_tokens=28)
    return outputs

@task
def capitals():
    outputs = answers([None, "France", "Peru", "Sweden"] * 10)
    return Task(
        dataset=[Sample(id=city, input=f"Of which country is {city} the capital?", target=country, metadata={"city": city}) for city, country in QUESTIONS.items()],
        solver=[system_message("You know geography."), sometimes_fails(), use_tools(look_up()), generate()],
        scorer=[includes(), aspects()],
        epochs=Epochs(2, "mean"),
        model=get_model("mockllm/model", custom_outputs=outputs),
    )
`

await withPythonTool('inspect-ai', { 'task.py': TASK }, async ({ path, run }) => {
  for (const format of ['eval', 'json']) {
    const args = ['eval', 'task.py', '--log-format', format, '--log-dir', format, '--display', 'plain']
    run('inspect', [...args, '--no-fail-on-error', '--max-samples', '1'])
    console.log(`\n${format}:`)
    const script = `
import sys
from inspect_ai.log import list_eval_logs, read_eval_log
for info in list_eval_logs(sys.argv[1]):
    log = read_eval_log(info)
    values = [s.scores["includes"].value if s.scores and "includes" in s.scores else ("error" if s.error else "none") for s in log.samples]
    print("Inspect counts:", {v: values.count(v) for v in sorted(set(values))}, "version", log.eval.packages)
`
    console.log(run('python', ['-c', script, format]).trim())
    await importAndPrint(join(path, format))
  }
})
