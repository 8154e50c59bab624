import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { convertSource } from '../../../interchange/convert/convert-source.ts'
import { planSources } from '../../../interchange/convert/plan-sources.ts'
import type { ImportOptions } from '../../../interchange/document/import-options.ts'
import { openDocument } from '../../../domain/run/document.ts'
import { fileOnDisk, folderOf } from '../../../interchange/read/source-file.ts'

type Folder = { readonly path: string; readonly run: (command: string, args: readonly string[]) => string }

/**
 * Installs a Python package from PyPI into a temporary folder, with the files given, and passes the folder on. `run` runs
 * a command of the package in it. The folder is deleted at the end.
 */
export const withPythonTool = async (
  packageName: string,
  files: Readonly<Record<string, string>>,
  use: (folder: Folder) => Promise<void>,
): Promise<void> => {
  const path = mkdtempSync(join(tmpdir(), 'fresh-'))
  try {
    execFileSync('python3', ['-m', 'venv', 'venv'], { cwd: path, stdio: 'inherit' })
    execFileSync(join(path, 'venv/bin/pip'), ['install', '--quiet', packageName], { cwd: path, stdio: 'inherit' })
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), content)
    }
    const env = {
      ...process.env,
      HF_HUB_OFFLINE: '1',
      HF_DATASETS_OFFLINE: '1',
      HF_HOME: join(path, 'cache'),
      NO_COLOR: '1',
    }
    await use({
      path,
      run: (command, args) =>
        execFileSync(join(path, 'venv/bin', command), [...args], {
          cwd: path,
          env,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'inherit'],
        }),
    })
  } finally {
    rmSync(path, { recursive: true })
  }
}

/** Imports all files of a folder, and prints a line for each run: its cases by status, and its losses. */
export const importAndPrint = async (path: string, options: ImportOptions = {}): Promise<void> => {
  const files = readdirSync(path)
    .sort()
    .map((name) => ({ name: join(path, name), stats: statSync(join(path, name)) }))
    .filter(({ stats }) => stats.isFile())
    .map(({ name, stats }) => fileOnDisk(name, stats))
  const target = { known: async () => null, content: async () => null }
  for await (const planned of planSources(folderOf(path, files), files, null)) {
    if (planned.kind !== 'source') {
      console.log(`${planned.file.name}: ${'reason' in planned ? planned.reason : planned.kind}`)
      continue
    }
    const { importer, source } = planned
    for await (const result of convertSource({ importer, source, options }, target, {
      verify: false,
      onChanged: 'report',
    })) {
      const name = `${source.file.name}${result.part === null ? '' : `:${result.part}`}`
      if (result.outcome !== 'converted') {
        console.log(`${name}: ${result.outcome}${result.outcome === 'refused' ? `: ${result.reason}` : ''}`)
        continue
      }
      const { run } = result
      const document = openDocument(run.bytes)
      for (let index = 0; index < document.caseCount; index++) document.caseAt(index)
      console.log(`${name}: ${importer.format} ${JSON.stringify(run.statuses)}, ${run.bytes.length} bytes`)
      for (const { kind, path: at, count, bytes, note } of run.losses.slice(0, 8))
        console.log(`  ${kind} ${at}: ${count} times, ${bytes} bytes${note === undefined ? '' : ` (${note})`}`)
    }
  }
}
