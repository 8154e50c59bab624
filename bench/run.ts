import { against } from './against/against.ts'
import { INTERCHANGE_MEASURES } from './interchange/measures.ts'
import { CACHING, MEASURES } from './measures.ts'

// `npm run bench` runs all measures; `npm run bench -- uncached overview` runs only the named ones,
// `npm run bench -- interchange` those of imports and exports, `npm run bench -- against REF` compares with another commit. The
// reference server, `floor`, is measured in the same run, so that the speed of the machine cancels out. Medians of
// interleaved rounds reduce noise.
//
// `uncached`, `overview` and `prune` compare the service on both storages. `BENCH_PEER` names a command that starts another
// server of the same HTTP interface, with a data directory and a port as arguments. `BENCH_CONTENDERS` selects of `floor`,
// `service`, `postgres` and `peer`, `BENCH_SERVICE` another entry of the service, such as `dist/ers.js`.

if (process.argv[2] === 'against') {
  const commit = process.argv[3]
  if (commit === undefined) {
    console.error('name a commit: npm run bench -- against REF')
    process.exit(2)
  }
  process.exit((await against(commit, console.log)) ? 0 : 1)
}

const isInterchange = process.argv[2] === 'interchange'
const measures = isInterchange ? INTERCHANGE_MEASURES : MEASURES
const selected = process.argv.slice(isInterchange ? 3 : 2)
const unknown = selected.filter((name) => !Object.hasOwn(measures, name))
if (unknown.length > 0) {
  console.error(`unknown measure ${unknown.join(', ')}; the measures are ${Object.keys(measures).join(', ')}`)
  process.exit(2)
}

for (const [name, measure] of Object.entries(measures)) {
  if (selected.length > 0 && !selected.includes(name)) continue
  console.log(`\n## ${name}\n\n${CACHING[name] ?? ''}\n`)
  await measure((line) => console.log(line))
}
