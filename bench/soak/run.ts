import { SOAKS } from './measures.ts'
import { seedOfRun } from './soak.ts'

// `npm run soak` runs all measures; `npm run soak -- kill slow` runs only the named ones. Exits with 1 if a measure
// failed. SOAK_SEED repeats a run. SOAK_CYCLES (kills, default 2000), SOAK_MINUTES (of mixed load, default 30), SOAK_SECONDS
// (of a crashing PostgreSQL, default 60), SOAK_CHANGES (of stores, default 10000) and SOAK_RACES (of holds with deletions,
// default 10000), SOAK_CALIBRATIONS (of each cell of coverage, default 2000) SOAK_PART_KILLS (at each step while parts are stored, default 500) and SOAK_MOVES (of documents, default 10000) shorten it. SOAK_CASES (of the upgraded store, default 100000) and SOAK_KILLS (of its build, default 20)
// change the measures `upgrade`, `upgrade-postgres` and `upgrade-replicas`.

const selected = process.argv.slice(2)
const unknown = selected.filter((name) => !Object.hasOwn(SOAKS, name))
if (unknown.length > 0) {
  console.error(`unknown measure ${unknown.join(', ')}; the measures are ${Object.keys(SOAKS).join(', ')}`)
  process.exit(2)
}

const seed = seedOfRun()
const failed: string[] = []
const print = (line: string): void => console.log(line)
console.log(`seed ${seed}`)

for (const [name, soak] of Object.entries(SOAKS)) {
  if (selected.length > 0 && !selected.includes(name)) continue
  console.log(`\n## ${name}\n`)
  const fail = (line: string): void => {
    failed.push(`${name}: ${line}`)
    console.log(`FAILED ${line}`)
  }
  try {
    await soak({ print, fail, expect: (condition, line) => (condition ? print(line) : fail(line)), seed })
  } catch (error) {
    fail(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
}

console.log(failed.length === 0 ? '\nall passed' : `\n${failed.length} failed with seed ${seed}:\n${failed.join('\n')}`)
process.exit(failed.length === 0 ? 0 : 1)
