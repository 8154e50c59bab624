import { spawnSync } from 'node:child_process'
import { mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadPyodide } from 'pyodide'
import type { ProofCase } from './cases.ts'

export const VERIFIER = fileURLToPath(new URL('../../../verifier/ers_verify.py', import.meta.url))
const BATCH = fileURLToPath(new URL('batch.py', import.meta.url))

/** What these specs need of CPython in WebAssembly. Its files are in memory. */
export type Python = {
  readonly FS: {
    readonly writeFile: (path: string, bytes: Uint8Array | string) => void
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

const asLines = (cases: readonly unknown[]): string => cases.map((each) => JSON.stringify(each)).join('\n')

const asCodes = (json: unknown): number[] => {
  const codes: unknown = JSON.parse(String(json))
  if (!Array.isArray(codes)) throw new Error('the verifier returned no codes')
  return codes.map(Number)
}

const pyodideRun = async (
  name: 'codes' | 'log_codes' | 'evidence_codes',
  cases: readonly unknown[],
): Promise<number[]> => {
  const python = await startPython()
  python.FS.writeFile('/home/pyodide/cases', asLines(cases))
  return asCodes(python.runPython(`import batch, json; json.dumps(batch.${name}(open("/home/pyodide/cases").read()))`))
}

const PROGRAM = `import sys, json
sys.path[:0] = sys.argv[2:]
sys.dont_write_bytecode = True
import batch
print(json.dumps(getattr(batch, sys.argv[1])(sys.stdin.read())))`

const systemRun = (name: 'codes' | 'log_codes' | 'evidence_codes', cases: readonly unknown[]): number[] | null => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'ers-verify-'))
  const modules = [VERIFIER, BATCH].map((path) => dirname(path))
  const { error, status, stdout, stderr } = spawnSync('python3', ['-X', 'utf8', '-c', PROGRAM, name, ...modules], {
    input: asLines(cases),
    maxBuffer: 2 ** 28,
    cwd: folder.path,
  })
  if (error && 'code' in error && error.code === 'ENOENT') return null
  if (status !== 0) throw new Error(`python3 failed: ${stderr.toString()}`)
  return asCodes(stdout)
}

/** The exit codes of the Python verifier, in WebAssembly. */
export const pyodideCodes = (cases: readonly ProofCase[]): Promise<number[]> => pyodideRun('codes', cases)

/** The exit codes of the Python verifier, by the Python of this machine; null if there is none. */
export const systemPythonCodes = (cases: readonly ProofCase[]): number[] | null => systemRun('codes', cases)

/**
 * An exported log in `log/` and documents in `documents/`. The first case has all files; a later one has those that differ
 * from it, with null for a file that is not there.
 */
export type LogCase = {
  readonly name: string
  readonly code: number
  readonly files: Readonly<Record<string, string | null>>
  readonly keys: readonly string[]
}

/** The exit codes of the Python verifier for exported logs, in WebAssembly. */
export const pyodideLogCodes = (cases: readonly LogCase[]): Promise<number[]> => pyodideRun('log_codes', cases)

/** The same by the Python of this machine; null if there is none. */
export const systemPythonLogCodes = (cases: readonly LogCase[]): number[] | null => systemRun('log_codes', cases)

/** A record, a file `manifest`, files in `parts/`, and files that are given one by one. Contents are `base64:…`. */
export type EvidenceCase = {
  readonly name: string
  readonly record: { readonly type: string; readonly data: Readonly<Record<string, unknown>> }
  readonly files: Readonly<Record<string, string>>
  readonly single: readonly string[]
  readonly isPartial: boolean
}

/** The exit codes of the Python verifier for evidence: by the Python of this machine, else in WebAssembly. */
export const pythonEvidenceCodes = async (cases: readonly EvidenceCase[]): Promise<number[]> =>
  systemRun('evidence_codes', cases) ?? pyodideRun('evidence_codes', cases)
