import { MEASURES } from './measures.ts'

// `npm run bench` runs all measures; `npm run bench -- ingest lists` runs only the named ones. Each figure is
// a ratio to the figure of the reference server in the same run, so that the machine's speed cancels out. Medians of
// interleaved rounds reduce noise.

const selected = process.argv.slice(2)
const unknown = selected.filter((name) => !Object.hasOwn(MEASURES, name))
if (unknown.length > 0) {
  console.error(`unknown measure ${unknown.join(', ')}; the measures are ${Object.keys(MEASURES).join(', ')}`)
  process.exit(2)
}

for (const [name, measure] of Object.entries(MEASURES)) {
  if (selected.length > 0 && !selected.includes(name)) continue
  console.log(`\n## ${name}\n`)
  await measure((line) => console.log(line))
}
