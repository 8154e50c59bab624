import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { countsOf, importFile, lossesOf, targetWith } from '../../../spec/support/interchange/import-files.ts'

// The scripts in this folder install a tool, run it with a stand-in model, and import what it wrote. They are run by hand,
// because they need the registry of packages.

/** Runs a command in a folder, with its output shown. Commands that report failed tests with their exit code may fail. */
export const runIn = (folder: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void => {
  try {
    execFileSync(command, args, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...env },
    })
  } catch (error) {
    if ((error as { status?: number }).status === undefined) throw error
    console.log(`${command} ${args.join(' ')}: exit code ${(error as { status: number }).status}`)
  }
}

/** Calls a function with an empty folder, which is deleted afterwards. */
export const inFolder = async (name: string, run: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), `fresh-${name}-`))
  try {
    await run(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Creates a Python environment with packages, and returns its interpreter. */
export const pythonWith = (folder: string, ...packages: readonly string[]): string => {
  runIn(folder, 'python3', ['-m', 'venv', 'venv'])
  const python = join(folder, 'venv', 'bin', 'python')
  runIn(folder, python, ['-m', 'pip', 'install', '--quiet', ...packages])
  return python
}

/** Imports files one after the other, as if each were uploaded before the next, and prints what each gives. */
export const printImports = async (paths: readonly string[]): Promise<void> => {
  const done = []
  for (const path of paths) {
    const results = await importFile(path, { target: targetWith(done) })
    done.push(...results)
    console.log(`${basename(path)} (${statSync(path).size} bytes): ${countsOf(results).join('; ')}`)
    for (const { kind, path: where, count, note } of lossesOf(results))
      console.log(`  ${kind} ${where} × ${count}${note === undefined ? '' : `: ${note}`}`)
  }
}

/** The files of a folder whose names match, with their paths. */
export const filesIn = (folder: string, pattern: RegExp): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && pattern.test(entry.name) && !dirname(join(entry.parentPath, '_')).includes('venv'),
    )
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
