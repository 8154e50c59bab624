import { MEASURES } from './measures.ts'

// `npm run bench` runs every measure; `npm run bench -- ingest lists` only those named. Figures are ratios to the
// yardstick in the same run: the machine's own speed cancels out, its noise is met by medians of interleaved rounds.

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(MEASURES, name))
if (unknown.length > 0) {
  console.error(`unknown measure ${unknown.join(', ')}; there are ${Object.keys(MEASURES).join(', ')}`)
  process.exit(2)
}

for (const [name, measure] of Object.entries(MEASURES)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  console.log(`\n## ${name}\n`)
  await measure((line) => console.log(line))
}
