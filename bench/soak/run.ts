import { SOAKS } from './measures.ts'
import { seedOfRun } from './soak.ts'

// `npm run soak` runs every measure; `npm run soak -- kill slow` only those named. Ends with 1 when something failed.
// SOAK_SEED repeats a run, SOAK_CYCLES (kills, default 2000) and SOAK_MINUTES (of mixed load, default 30) and
// SOAK_SECONDS (of a crashing PostgreSQL, default 60) shorten it.

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(SOAKS, name))
if (unknown.length > 0) {
  console.error(`unknown measure ${unknown.join(', ')}; there are ${Object.keys(SOAKS).join(', ')}`)
  process.exit(2)
}

const seed = seedOfRun()
const failed: string[] = []
const say = (line: string): void => console.log(line)
console.log(`seed ${seed}`)

for (const [name, soak] of Object.entries(SOAKS)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  console.log(`\n## ${name}\n`)
  const fail = (line: string): void => {
    failed.push(`${name}: ${line}`)
    console.log(`FAILED ${line}`)
  }
  try {
    await soak({ say, fail, expect: (holds, line) => (holds ? say(line) : fail(line)), seed })
  } catch (error) {
    fail(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
}

console.log(
  failed.length === 0 ? '\nall in order' : `\n${failed.length} failed with seed ${seed}:\n${failed.join('\n')}`,
)
process.exit(failed.length === 0 ? 0 : 1)
