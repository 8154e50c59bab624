import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { importAndPrint, withPythonTool } from './python-tool.ts'

// Runs the newest lm-evaluation-harness with its stand-in model on two small tasks, one with two filters and one by
// log-likelihood, imports the results, and prints the counts. Run it by hand: `node bench/interchange/fresh/lm-eval.ts`.

const ROWS = [
  { city: 'Paris', country: 'France', wrong: 'Peru' },
  { city: 'Lima', country: 'Peru', wrong: 'France' },
  { city: 'Oslo', country: 'lol', wrong: 'Egypt' },
]

// The stand-in model generates "lol" and draws log-likelihoods by chance.
const GENERATE = `
task: fresh_generate
dataset_path: json
dataset_kwargs:
  data_files: {test: rows.jsonl}
test_split: test
output_type: generate_until
doc_to_text: "Of which country is {{city}} the capital?"
doc_to_target: "{{country}}"
generation_kwargs: {until: ["\\n"]}
filter_list:
  - name: strict
    filter: [{function: take_first}]
  - name: flexible
    filter:
      - function: regex
        regex_pattern: "(l.l)"
      - function: take_first
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
metadata: {version: 1.0}
`

const CHOOSE = `
task: fresh_choose
dataset_path: json
dataset_kwargs:
  data_files: {test: rows.jsonl}
test_split: test
output_type: multiple_choice
doc_to_text: "Of which country is {{city}} the capital?"
doc_to_choice: "{{[country, wrong]}}"
doc_to_target: 0
metric_list:
  - {metric: acc, aggregation: mean, higher_is_better: true}
  - {metric: acc_norm, aggregation: mean, higher_is_better: true}
metadata: {version: 1.0}
`

const files = {
  'rows.jsonl': ROWS.map((row) => `${JSON.stringify(row)}\n`).join(''),
  'tasks/generate.yaml': GENERATE,
  'tasks/choose.yaml': CHOOSE,
}

await withPythonTool('lm-eval', files, async ({ path, run }) => {
  const args = ['--model', 'dummy', '--include_path', 'tasks', '--tasks', 'fresh_generate,fresh_choose']
  console.log(run('lm_eval', [...args, '--output_path', 'out', '--log_samples']))
  const [model = ''] = readdirSync(join(path, 'out'))
  await importAndPrint(join(path, 'out', model))
  console.log('\nwith --aggregates:')
  await importAndPrint(join(path, 'out', model), { aggregates: true })
})
