import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { PyodideAPI } from 'pyodide'
import type { ProofCase } from './cases.ts'

const VERIFIER = fileURLToPath(new URL('../../../verifier/ers_verify.py', import.meta.url))
const BATCH = fileURLToPath(new URL('batch.py', import.meta.url))

let started: Promise<PyodideAPI> | undefined

/** CPython in WebAssembly, with the verifier as a module. It is started once in a process. */
export const startPyodide = (): Promise<PyodideAPI> => {
  started ??= (async () => {
    const { loadPyodide } = await import('pyodide')
    const python = await loadPyodide()
    for (const [name, path] of [
      ['ers_verify.py', VERIFIER],
      ['batch.py', BATCH],
    ] as const)
      python.FS.writeFile(`/home/pyodide/${name}`, readFileSync(path))
    return python
  })()
  return started
}

const asLines = (cases: readonly ProofCase[]): string => cases.map((each) => JSON.stringify(each)).join('\n')
const asCodes = (json: unknown): number[] => {
  const codes: unknown = JSON.parse(String(json))
  if (!Array.isArray(codes)) throw new Error('the verifier returned no codes')
  return codes.map(Number)
}

/** The exit codes that the Python verifier gives, in WebAssembly. */
export const pyodideCodes = async (cases: readonly ProofCase[]): Promise<number[]> => {
  const python = await startPyodide()
  python.globals.set('lines', asLines(cases))
  return asCodes(await python.runPythonAsync('import batch, json; json.dumps(batch.codes(lines))'))
}

/** The exit codes that the Python of this machine gives; null if there is none. */
export const systemPythonCodes = (cases: readonly ProofCase[]): number[] | null => {
  const program = `import sys, json; sys.path[:0] = sys.argv[1:]; sys.dont_write_bytecode = True
import batch; print(json.dumps(batch.codes(sys.stdin.read())))`
  const folders = [VERIFIER, BATCH].map((path) => path.replace(/\/[^/]+$/, ''))
  const { error, status, stdout, stderr } = spawnSync('python3', ['-X', 'utf8', '-c', program, ...folders], {
    input: asLines(cases),
    maxBuffer: 2 ** 28,
  })
  if (error && 'code' in error && error.code === 'ENOENT') return null
  if (status !== 0) throw new Error(`python3 failed: ${stderr.toString()}`)
  return asCodes(stdout)
}
