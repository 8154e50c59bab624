import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { pythonClient, typescriptClient } from '../../packaging/clients.ts'
import { readTarGz, tar } from '../../packaging/tar.ts'
import { bareEnvironment } from '../support/bare-environment.ts'
import { hasPython } from '../support/clients.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SECONDS = 1_700_000_000
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'ers-clients-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a program in the folder against a server of its own, and returns what it prints. */
const printed = async (program: string, args: (server: RunningServer) => readonly string[]): Promise<string> => {
  const server = await startServer()
  try {
    const env = { ...bareEnvironment(), PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: join(folder, 'site') }
    return (await run(program, args(server), { cwd: folder, env })).stdout.trim()
  } finally {
    await server.stop()
  }
}

it('the TypeScript client, as npm installs it, asks a service', async () => {
  const files = typescriptClient(ROOT)
  expect(files.map(({ path }) => path).filter((path) => /(?<!\.d)\.ts$|\bsrc\b/.test(path))).toEqual([])
  const installed = join(folder, 'node_modules/evaluation-results-client')
  mkdirSync(installed, { recursive: true })
  writeFileSync(join(folder, 'client.tar'), tar(files, SECONDS))
  execFileSync('tar', ['-xf', join(folder, 'client.tar'), '--strip-components=1', '-C', installed])
  symlinkSync(join(ROOT, 'node_modules/openapi-fetch'), join(folder, 'node_modules/openapi-fetch'))
  writeFileSync(
    join(folder, 'ask.mjs'),
    `import { connect } from 'evaluation-results-client'
const [, , url, token] = process.argv
let runs = 0
for await (const _ of connect({ url, token }).runs()) runs++
console.log(runs, (await connect({ url, token }).api.GET('/api/v1/projects')).data.projects.length)
`,
  )
  expect(await printed(process.execPath, ({ url, token }) => ['ask.mjs', url, token])).toBe('0 0')
  const { exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    exports: Record<string, { types: string; default: string }>
  }
  const named = Object.values(exports).flatMap(({ types, default: code }) => [types, code])
  expect(files.map(({ path }) => path)).toEqual(
    expect.arrayContaining(named.map((path) => path.replace('./', 'package/'))),
  )
})

describe('the Python client', () => {
  const distributions = pythonClient(ROOT, SECONDS)
  const [[wheel = '', wheelBytes = new Uint8Array()] = [], [, sources = new Uint8Array()] = []] = [...distributions]

  it('has the same bytes each time', () => expect(pythonClient(ROOT, SECONDS)).toEqual(distributions))

  it('has its sources, as a build from them needs them', () =>
    expect([...readTarGz(sources).keys()].map((path) => path.replace(/^[^/]+\//, ''))).toEqual(
      expect.arrayContaining(['PKG-INFO', 'LICENSE', 'README.md', 'pyproject.toml', 'src/ers_client/client.py']),
    ))

  it('is installed by pip with the metadata of pyproject.toml, and asks a service', async ({ skip }) => {
    skip(!(await hasPython('pip', 'tomllib')), 'needs python3 with pip')
    const file = join(folder, wheel)
    writeFileSync(file, wheelBytes)
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--no-compile']
    await run('python3', [...pip, '--root-user-action=ignore', '--target', join(folder, 'site'), file])
    const program = `
import sys, tomllib
from importlib.metadata import distribution
from ers_client import ErsClient
project = tomllib.load(open(sys.argv[3], "rb"))["project"]
found = distribution(project["name"])
assert found.version == project["version"]
assert found.metadata["License-Expression"] == project["license"]
assert found.metadata["Requires-Python"] == project["requires-python"]
assert found.metadata.get_all("Classifier") == project["classifiers"]
assert found.requires == [f'{name}; extra == "frame"' for name in project["optional-dependencies"]["frame"]], found.requires
assert [(e.group, e.name, e.value) for e in found.entry_points] == [
    (group, name, value) for group, points in project["entry-points"].items() for name, value in points.items()]
assert all(f.locate().exists() and (f.hash is None or f.size == f.locate().stat().st_size) for f in found.files)
print(len(list(ErsClient(sys.argv[1], sys.argv[2]).iter_runs())))
`
    const manifest = join(ROOT, 'clients/python/pyproject.toml')
    expect(await printed('python3', ({ url, token }) => ['-c', program, url, token, manifest])).toBe('0')
  })
})
