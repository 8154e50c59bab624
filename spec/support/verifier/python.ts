import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadPyodide } from 'pyodide'
import type { ProofCase } from './cases.ts'

export const VERIFIER = fileURLToPath(new URL('../../../verifier/ers_verify.py', import.meta.url))
const BATCH = fileURLToPath(new URL('batch.py', import.meta.url))

/** What these specs need of CPython in WebAssembly. Its files are in memory. */
export type Python = {
  readonly FS: {
    readonly writeFile: (path: string, bytes: Uint8Array | string) => void
    readonly mkdirTree: (path: string) => void
  }
  readonly runPython: (program: string) => unknown
}

let started: Promise<Python> | undefined

const start = async (): Promise<Python> => {
  const python: Python = await loadPyodide()
  python.FS.writeFile('/home/pyodide/ers_verify.py', readFileSync(VERIFIER))
  python.FS.writeFile('/home/pyodide/batch.py', readFileSync(BATCH))
  return python
}

/** CPython in WebAssembly, with the verifier as a module. It is started once in a process: that takes seconds. */
export const startPython = (): Promise<Python> => {
  started ??= start()
  return started
}

const asLines = (cases: readonly ProofCase[]): string => cases.map((each) => JSON.stringify(each)).join('\n')

const asCodes = (json: unknown): number[] => {
  const codes: unknown = JSON.parse(String(json))
  if (!Array.isArray(codes)) throw new Error('the verifier returned no codes')
  return codes.map(Number)
}

/** The exit codes of the Python verifier, in WebAssembly. */
export const pyodideCodes = async (cases: readonly ProofCase[]): Promise<number[]> => {
  const python = await startPython()
  python.FS.writeFile('/home/pyodide/cases', asLines(cases))
  return asCodes(python.runPython('import batch, json; json.dumps(batch.codes(open("/home/pyodide/cases").read()))'))
}

const PROGRAM = `import sys, json
sys.path[:0] = sys.argv[1:]
sys.dont_write_bytecode = True
import batch
print(json.dumps(batch.codes(sys.stdin.read())))`

/** The exit codes of the Python verifier, by the Python of this machine; null if there is none. */
export const systemPythonCodes = (cases: readonly ProofCase[]): number[] | null => {
  const folders = [VERIFIER, BATCH].map((path) => dirname(path))
  const { error, status, stdout, stderr } = spawnSync('python3', ['-X', 'utf8', '-c', PROGRAM, ...folders], {
    input: asLines(cases),
    maxBuffer: 2 ** 28,
  })
  if (error && 'code' in error && error.code === 'ENOENT') return null
  if (status !== 0) throw new Error(`python3 failed: ${stderr.toString()}`)
  return asCodes(stdout)
}
