import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { buildSite } from '../../cli/bootstrap/builds.mjs'
import { manifestOf, npmPackage } from '../../packaging/program-files.ts'
import { tar } from '../../packaging/tar.ts'
import { bareEnvironment } from '../support/bare-environment.ts'
import { startServer } from '../support/servers/server.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SAMPLE = join(ROOT, 'spec/data/inspect/images/log_images_tc.json.gz')
const SECONDS = 1_700_000_000

await buildSite(process.execPath)
const files = npmPackage(ROOT)
const paths = files.map(({ path }) => path)
const folder = mkdtempSync(join(tmpdir(), 'ers-package-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The package as npm installs it, with its native packages. */
const installed = join(folder, 'node_modules', manifestOf(ROOT).name)
mkdirSync(installed, { recursive: true })
writeFileSync(join(folder, 'package.tar'), tar(files, SECONDS))
execFileSync('tar', ['-xf', join(folder, 'package.tar'), '--strip-components=1', '-C', installed])
for (const name of ['better-sqlite3', '@node-rs'])
  symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))

describe('the package for npm', () => {
  it('has the program, the web app, migrations and documentation with its site, and neither TypeScript nor specs', () => {
    expect(paths).toEqual(
      expect.arrayContaining(
        [
          'package.json',
          'README.md',
          'LICENSE',
          'cli/ers.mjs',
          'dist/ers.js',
          'webapp/dist/index.html',
          'migrations/service/0001-events.sql',
          'docs/configuration.md',
          'site/dist/pages.json.br',
        ].map((path) => `package/${path}`),
      ),
    )
    expect(paths.filter((path) => /\.(?:[cm]?ts|vue|map)$|\bspec\b|node_modules/.test(path))).toEqual([])
  })

  it('has scripts and styles of the web app in their compressed forms alone', () => {
    const assets = paths.filter((path) => path.startsWith('package/webapp/dist/assets/'))
    expect(assets.length).toBeGreaterThan(100)
    expect(assets.filter((path) => /\.(?:js|css)$/.test(path))).toEqual([])
  })

  it('installs in 30 MB, without its dependencies', () =>
    expect(files.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThan(30e6))

  it('depends on each package that its files load, and on no other', () => {
    const text = files
      .filter(({ path }) => /^package\/dist\/.*\.c?js$/.test(path))
      .map(({ bytes }) => Buffer.from(bytes).toString())
      .join('\n')
    // Within quotes is code that a package would write into a file.
    const loaded = [
      ...text.matchAll(/^import [^;]*?from ?"([^"]+)"|^import ?"([^"]+)"|(?<![`'])require\("([^"]+)"\)/gm),
    ]
      .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
      .filter((name) => !name.startsWith('.') && !name.startsWith('node:') && !builtinModules.includes(name))
    const { dependencies } = JSON.parse(
      Buffer.from(files.find(({ path }) => path === 'package/package.json')?.bytes ?? []).toString(),
    ) as { dependencies: Record<string, string> }
    expect(Object.keys(dependencies).toSorted()).toEqual([...new Set(loaded)].toSorted())
  })

  it('serves and imports as installed by npm', async () => {
    const program = join(installed, 'cli/ers.mjs')
    const server = await startServer({ program })
    try {
      const env = { ...bareEnvironment(), SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token }
      const { stdout } = await promisify(execFile)(process.execPath, [program, 'import', '--json', SAMPLE], { env })
      expect(JSON.parse(stdout)).toMatchObject({ imported: 1, refused: 0, failed: 0 })
      const page = await (await fetch(server.url)).text()
      const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? []
      const built = readFileSync(join(ROOT, 'webapp/dist', script), 'utf8')
      for (const coding of ['br', 'gzip', 'identity']) {
        const answer = await fetch(`${server.url}${script}`, { headers: { 'accept-encoding': coding } })
        expect(answer.headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding)
        expect(await answer.text()).toBe(built)
      }
      expect(await (await fetch(`${server.url}/docs/start`)).text()).toContain('<h1 id="start"')
      expect((await fetch(`${server.url}/docs/images/run-light.png`)).headers.get('content-type')).toBe('image/png')
    } finally {
      expect(await server.stop()).toBe(0)
    }
  })

  it('says how to go on without npx, which would start a program of others', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(installed, 'cli/ers.mjs'), 'init', 'first'], {
      cwd: folder,
      env: bareEnvironment(),
    })
    expect(stdout).toMatch(/^ {2}ers run first +# runs it$/m)
    const isPage = /^package\/(?:dist|webapp)\//
    const naming = files.filter(({ path, bytes }) => isPage.test(path) && Buffer.from(bytes).includes('npx ers import'))
    expect(naming.map(({ path }) => path)).toEqual([])
  })

  it('has the same bytes in another folder, whatever the times and modes of its files', () => {
    const other = join(folder, 'other')
    const parts = [
      'dist',
      'webapp/dist',
      'site/dist',
      'migrations',
      'docs',
      'deploy',
      'samples',
      'interchange/maps',
      'cli',
      'packaging',
    ]
    for (const path of [
      ...parts,
      'webapp/unbuilt.html',
      'verifier',
      'LICENSE',
      'CHANGELOG.md',
      'SECURITY.md',
      'package.json',
    ])
      cpSync(join(ROOT, path), join(other, path), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(other, 'node_modules'))
    execFileSync('chmod', ['-R', 'go-rwx', other])
    expect(tar(npmPackage(other), SECONDS).equals(tar(files, SECONDS))).toBe(true)
  })
})
