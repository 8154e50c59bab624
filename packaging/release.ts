import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { archiveFiles, PLATFORMS } from './archive.ts'
import { pythonClient, typescriptClient } from './clients.ts'
import { lockedPackage } from './locked-package.ts'
import { checksums, releaseNotes } from './notes.ts'
import { inFolder } from './files.ts'
import { manifestOf, npmPackage } from './program-files.ts'
import { softwareBill } from './sbom.ts'
import { tarGz } from './tar.ts'
import { licencesText, shippedPackages } from './third-party.ts'

// `npm run release` (docs/releasing.md): writes what is published into the folder `release`. cli/bootstrap.mjs has built the
// program and the site before.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUTPUT = join(ROOT, 'release')

/** The time of all files, in Unix seconds: SOURCE_DATE_EPOCH, else that of the commit. */
const sourceSeconds = (): number => {
  const given = process.env['SOURCE_DATE_EPOCH'] || execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT })
  const seconds = Number(String(given).trim())
  if (!Number.isSafeInteger(seconds) || seconds < 0)
    throw new Error(`SOURCE_DATE_EPOCH must be a number of seconds, not ${String(given)}`)
  return seconds
}

const readPackage = (name: string): Promise<Map<string, Buffer>> => lockedPackage(ROOT, name)

const written = new Map<string, Uint8Array>()
const write = (name: string, content: Uint8Array | string): void => {
  const bytes = Buffer.from(content)
  writeFileSync(join(OUTPUT, name), bytes)
  written.set(name, bytes)
  console.log(`release/${name}  ${(bytes.length / 1e6).toFixed(1)} MB`)
}

/** The files whose digests auditors keep (docs/proof.md). */
const KEPT = ['webapp/dist/check-receipt.html', 'verifier/ers_verify.py']

const manifest = manifestOf(ROOT)
const { name, version } = manifest

/** Everything but the image, which needs other tools. */
const writeFiles = async (): Promise<void> => {
  const seconds = sourceSeconds()
  rmSync(OUTPUT, { recursive: true, force: true })
  mkdirSync(OUTPUT)
  const packages = shippedPackages(ROOT)
  write(`${name}-${version}.tgz`, tarGz(npmPackage(ROOT), seconds))
  for (const platform of PLATFORMS) {
    const folder = `ers-${version}-${platform}`
    const files = await archiveFiles(ROOT, platform, readPackage)
    write(`${folder}.tar.gz`, tarGz(inFolder(folder, files), seconds))
  }
  write(`evaluation-results-client-${version}.tgz`, tarGz(typescriptClient(ROOT), seconds))
  for (const [file, bytes] of pythonClient(ROOT, seconds)) write(file, bytes)
  write(`ers-${version}.cdx.json`, softwareBill(ROOT, { ...manifest, seconds }, packages))
  write(`ers-${version}-third-party-licences.txt`, licencesText(packages))
  const kept = new Map(KEPT.map((path) => [path, readFileSync(join(ROOT, path))]))
  write('NOTES.md', releaseNotes(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version, kept))
  write('SHA256SUMS', checksums(written))
}

/** The program for this kind of machine as files, which is what the image has. */
const writeFolder = async (folder: string): Promise<void> => {
  const platform = PLATFORMS.find((each) => each === `${process.platform}-${process.arch}`)
  if (platform === undefined) throw new Error(`there is no archive for ${process.platform}-${process.arch}`)
  for (const { path, bytes, executable } of await archiveFiles(ROOT, platform, readPackage)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes, { mode: executable === true ? 0o755 : 0o644 })
  }
}

const { values } = parseArgs({ options: { folder: { type: 'string' } } })
await (values.folder === undefined ? writeFiles() : writeFolder(values.folder))
