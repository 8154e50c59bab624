import { readFileSync, writeFileSync } from 'node:fs'
import { COMMANDS } from '../../../cli/commands.ts'

// Runs commands of the program one after another in this process, as on a terminal: a process each would take minutes. The
// first argument is a file with the arguments of each command, the second one the file for the results.

/** How a command ended, and what it printed. */
export type CommandResult = {
  readonly args: readonly string[]
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The most memory that the process has had until then, in MiB. */
  readonly memory: number
}

const [input = '', output = ''] = process.argv.slice(2)
const results: CommandResult[] = []
const printed = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }
for (const stream of ['stdout', 'stderr'] as const)
  process[stream].write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    // Enough of each to look at.
    if (printed[stream].length < 1024 * 1024) printed[stream] = Buffer.concat([printed[stream], Buffer.from(chunk)])
    const done = rest.find((argument) => typeof argument === 'function')
    if (done) process.nextTick(done)
    return true
  }
process.stdout.isTTY = true
// A usage error ends the process.
process.on('exit', () => writeFileSync(2, printed.stderr))

for (const args of JSON.parse(readFileSync(input, 'utf8')) as string[][]) {
  const [name, ...rest] = args
  process.exitCode = 0
  printed.stdout = Buffer.alloc(0)
  printed.stderr = Buffer.alloc(0)
  const command = await COMMANDS.find((listed) => listed.name === name)?.load()
  await command?.parseAsync(rest, { from: 'user' })
  results.push({
    args,
    code: Number(process.exitCode),
    stdout: printed.stdout.toString(),
    stderr: printed.stderr.toString(),
    memory: Math.round(process.resourceUsage().maxRSS / 1024),
  })
}
printed.stderr = Buffer.alloc(0)
writeFileSync(output, JSON.stringify(results))
process.exit(0)
