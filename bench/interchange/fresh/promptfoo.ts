import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SAMPLES } from '../../../spec/support/interchange/import-files.ts'
import { filesIn, inFolder, printImports, runIn } from './run-tool.ts'

// `node bench/interchange/fresh/promptfoo.ts`: runs the suite of the samples with the current release of promptfoo.

/** A provider that knows a few capitals, fails for one, and says nothing for another. */
const PROVIDER = `
const CAPITALS = { Paris: 'France', Lima: 'Peru', Bonn: 'Germany', Oslo: 'Norway' }
export default class Table {
  constructor(options) { this.name = options.config?.name ?? 'table' }
  id() { return this.name }
  async callApi(prompt) {
    const city = [...Object.keys(CAPITALS), 'Atlantis', 'Nowhere'].find((name) => prompt.includes(name))
    if (city === 'Atlantis') return { error: 'HTTP 503 from upstream: overloaded' }
    const output = city === 'Nowhere' ? '' : city === 'Oslo' ? { capital: city, country: 'Norway' } : city + ' is the capital of ' + CAPITALS[city] + '.'
    const completionDetails = { cacheReadInputTokens: 4 }
    return { output, tokenUsage: { prompt: 20, completion: 8, total: 28, completionDetails }, cost: 0.0002, finishReason: 'stop' }
  }
}
`

await inFolder('promptfoo', async (folder) => {
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  runIn(folder, 'npm', ['install', '--no-audit', '--no-fund', '--silent', 'promptfoo@latest'])
  writeFileSync(join(folder, 'provider.mjs'), PROVIDER)
  copyFileSync(join(SAMPLES, 'promptfoo', 'capitals.promptfooconfig.yaml'), join(folder, 'promptfooconfig.yaml'))
  const env = {
    ...{
      PROMPTFOO_CONFIG_DIR: join(folder, 'config'),
      PROMPTFOO_DISABLE_TELEMETRY: '1',
      PROMPTFOO_DISABLE_UPDATE: '1',
    },
    ...{ PROMPTFOO_DISABLE_REMOTE_GENERATION: 'true', PROMPTFOO_SELF_HOSTED: '1' },
  }
  const outputs = ['results.json', 'results.yaml', 'results.jsonl', 'results.csv', 'results.html', 'results.xml']
  // This Node, because promptfoo does not start on older ones.
  const promptfoo = (...args: string[]) =>
    runIn(folder, process.execPath, [join('node_modules', '.bin', 'promptfoo'), ...args], env)
  promptfoo('eval', '--no-cache', '--repeat', '2', '-o', ...outputs)
  promptfoo('eval', '--no-cache', '--filter-providers', 'table-large')
  await printImports([
    ...outputs.map((name) => join(folder, name)),
    ...filesIn(join(folder, 'config'), /^promptfoo\.db$/),
  ])
})
