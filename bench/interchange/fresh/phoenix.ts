import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { importWhole } from '../whole-import.ts'
import { inFolder, printImports, pythonWith, runIn } from './run-tool.ts'

// `node bench/interchange/fresh/phoenix.ts`: runs experiments with the current release of Phoenix (Arize) and its server.
// Imports the downloads of the server, and what `ers fetch phoenix` reads from it.

const SUITE = `
import json, sys
from phoenix.client import Client
from phoenix.client.experiments import create_evaluator

client = Client(base_url=sys.argv[1])

def task(input):
    city = input["city"]
    if city == "Bonn": raise RuntimeError("503 from upstream")
    if city == "Oslo": return {"capital": city, "country": "Norway"}
    if city == "Nowhere": return None
    return f"{city} is the capital of {dict(Paris='France', Lima='Peru').get(city, 'Mars')}."

@create_evaluator(name="contains_country")
def contains_country(output, expected): return expected["country"] in str(output)

@create_evaluator(name="length")
def length(output): return min(1.0, len(str(output)) / 40), "long" if len(str(output)) > 20 else "short", f"{len(str(output))} characters"

@create_evaluator(name="judged", kind="LLM")
def judged(output):
    if "Lima" in str(output): raise ValueError("the judge did not answer")
    return {"label": "correct" if str(output).endswith(".") else "incorrect", "explanation": "looks at the full stop", "metadata": {"judge": "rule"}}

@create_evaluator(name="rating", kind="LLM")
def rating(output): return {"score": 4, "label": "good"}

def dataset(name, cities):
    return client.datasets.create_dataset(name=name, inputs=[{"city": c} for c in cities], outputs=[{"country": o} for o in cities.values()],
        metadata=[{"kind": "capital"} for _ in cities], timeout=60)

capitals = dataset("Capitals", {"Paris": "France", "Lima": "Peru", "Bonn": "Germany", "Oslo": "Norway", "Nowhere": "nothing"})
more = dataset("More capitals", {"Paris": "France", "Rome": "Italy"})
usual = dict(task=task, print_summary=False, retries=0)
first = client.experiments.run_experiment(dataset=capitals, evaluators=[contains_country, length, judged], experiment_name="base",
    experiment_description="the first one", experiment_metadata={"temperature": 0, "model": "table-small"}, repetitions=2, **usual)
rated = client.experiments.run_experiment(dataset=more, evaluators=[contains_country, rating], experiment_name="rated / 4 of 5", **usual)
plain = client.experiments.run_experiment(dataset=more, experiment_name="without evaluators", **usual)
run = client.experiments.get_experiment(experiment_id=plain["experiment_id"])["task_runs"][0]
client.experiments.log_evaluation(experiment_run_id=run["id"], name="read", annotator_kind="HUMAN", label="correct", explanation="read by hand")
client.experiments.create(dataset_id=more.id, experiment_name="not run yet")
json.dump([one["experiment_id"] for one in (first, rated, plain)], open("experiments.json", "w"))
`

const ERS = fileURLToPath(new URL('../../../cli/ers.ts', import.meta.url))
const START_MS = 120_000
const LOG_CHARACTERS = 4_000

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Starts a server in a folder, and passes its address on. The server is stopped at the end. */
const withServer = async (folder: string, use: (url: string) => Promise<void>): Promise<void> => {
  const [port, grpcPort] = [await freePort(), await freePort()]
  const env = {
    ...process.env,
    ...{ PHOENIX_WORKING_DIR: join(folder, 'server'), PHOENIX_HOST: '127.0.0.1', PHOENIX_TELEMETRY_ENABLED: 'false' },
    ...{ PHOENIX_PORT: String(port), PHOENIX_GRPC_PORT: String(grpcPort) },
  }
  const command = join(folder, 'venv', 'bin', 'phoenix')
  // It logs each request, and stack traces when it cannot reach the network.
  const log = openSync(join(folder, 'server.log'), 'w')
  const server = spawn(command, ['serve'], { cwd: folder, env, stdio: ['ignore', log, log] })
  const exited = once(server, 'exit')
  try {
    await untilReady(server, `http://127.0.0.1:${port}`)
    await use(`http://127.0.0.1:${port}`)
  } catch (error) {
    console.error(readFileSync(join(folder, 'server.log'), 'utf8').slice(-LOG_CHARACTERS))
    throw error
  } finally {
    server.kill()
    await exited
    closeSync(log)
  }
}

/** Throws if the server ends, or is not ready in time. */
const untilReady = async (server: ChildProcess, url: string): Promise<void> => {
  const deadline = AbortSignal.timeout(START_MS)
  for (;;) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`)
    try {
      if ((await fetch(`${url}/healthz`, { signal: deadline })).ok) return
    } catch (error) {
      if (deadline.aborted) throw error
    }
    await delay(200)
  }
}

/** Prints the counts of `ers import --json`. */
const importAndPrint = async (path: string, state: string): Promise<void> => {
  const { imported, already_there, changed, refused, failed } = await importWhole(path, '--data-dir', state)
  const counts = `imported ${imported}, already there ${already_there}, changed ${changed}`
  console.log(`ers import ${basename(path)}: ${counts}, refused ${refused}, failed ${failed}`)
}

await inFolder('phoenix', async (folder) => {
  const python = pythonWith(folder, 'arize-phoenix')
  writeFileSync(join(folder, 'suite.py'), SUITE)
  await withServer(folder, async (url) => {
    runIn(folder, python, ['suite.py', url])
    const downloads = []
    const experiments = JSON.parse(readFileSync(join(folder, 'experiments.json'), 'utf8')) as readonly string[]
    for (const [index, id] of experiments.entries())
      for (const form of ['json', 'csv']) {
        const response = await fetch(`${url}/v1/experiments/${id}/${form}`)
        if (!response.ok) throw new Error(`${form} of ${id}: ${response.status} ${await response.text()}`)
        const path = join(folder, `experiment-${index + 1}.${form}`)
        writeFileSync(path, await response.bytes())
        downloads.push(path)
      }
    await printImports(downloads)
    for (const path of downloads) await importAndPrint(path, join(folder, 'state'))
    const fetched = join(folder, 'fetched')
    const args = [ERS, 'fetch', 'phoenix', '--url', url, '--out', fetched, '--json']
    console.log('ers fetch phoenix:', execFileSync(process.execPath, args, { encoding: 'utf8' }).trim())
    await importAndPrint(fetched, join(folder, 'state'))
    await importAndPrint(fetched, join(folder, 'state'))
  })
})
