import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ERS = fileURLToPath(new URL('../../cli/ers.ts', import.meta.url))

/** What an import took, as a user sees it: the whole command, with all of its threads. */
export type Imported = {
  readonly imported: number
  readonly already_there: number
  readonly refused: number
  readonly failed: number
  readonly changed: number
  readonly seconds: number
  readonly peakMiB: number
}

const SAMPLE_MS = 50

/** Runs `ers import` in a process of its own. Throws if it cannot start, or a run was refused. */
export const importWhole = async (path: string, ...options: readonly string[]): Promise<Imported> => {
  const began = performance.now()
  const child = spawn(process.execPath, [ERS, 'import', path, '--json', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let peakMiB = 0
  const timer = setInterval(() => void (peakMiB = Math.max(peakMiB, residentPeakMiB(child.pid))), SAMPLE_MS)
  let output = ''
  child.stdout.on('data', (text: Buffer) => void (output += text.toString()))
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.on('exit', resolve)
  const code = await promise
  clearInterval(timer)
  if (code !== 0) throw new Error(`ers import ended with ${code}: ${output}`)
  const seconds = (performance.now() - began) / 1000
  return { ...(JSON.parse(output) as Imported), seconds, peakMiB }
}

/** The largest resident memory so far of a process, in MiB; 0 when it has ended. */
const residentPeakMiB = (pid: number | undefined): number => {
  try {
    const [, kib = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib) / 1024
  } catch {
    return 0
  }
}
