import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { licencesText, NATIVE_PACKAGES, shippedPackages } from './third-party.ts'
import { fileAt, filesBelow, inFolder, textFile, type PackedFile } from './files.ts'

/** What of the root package.json a package needs. */
type Manifest = {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly type: string
  readonly engines: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

/** The package.json of a checkout. */
export const manifestOf = (checkout: string): Manifest =>
  JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as Manifest

/** Files that start the program where Node may be too old for it. */
const STARTERS = [
  'cli/ers.mjs',
  ...['builds', 'node', 'relay', 'user-error'].map((name) => `cli/bootstrap/${name}.mjs`),
]

/** What a build writes only for specs and for those who build it. */
const isForBuilders = (path: string): boolean => /\.map$|licenses\.json$|\/\.vite\//.test(path)

/** Whether the service can do without a file of the web app: it sends the compressed forms, and unpacks them where they are not accepted. */
const isUnpacked = (checkout: string, path: string): boolean =>
  path.startsWith('webapp/dist/assets/') && existsSync(join(checkout, `${path}.gz`))

/**
 * The files of the built program, as they are in the package for npm and in the archives: JavaScript, the web app, migrations
 * and documentation with its site, and neither TypeScript nor specs. The checkout and its site must be built.
 */
export const programFiles = (checkout: string): PackedFile[] => [
  ...['LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'webapp/unbuilt.html', 'verifier/ers_verify.py'].map((path) =>
    fileAt(checkout, path),
  ),
  fileAt(checkout, 'packaging/README.md', 'README.md'),
  ...STARTERS.map((path) => ({ ...fileAt(checkout, path), executable: path === 'cli/ers.mjs' })),
  ...['dist', 'webapp/dist'].flatMap((folder) =>
    filesBelow(checkout, folder, (path) => !isForBuilders(path) && !isUnpacked(checkout, path)),
  ),
  fileAt(checkout, 'site/dist/pages.json.br'),
  ...filesBelow(checkout, 'interchange/maps', (path) => path.endsWith('.yaml')),
  ...['migrations', 'docs', 'deploy', 'samples'].flatMap((folder) => filesBelow(checkout, folder)),
  textFile('THIRD-PARTY-LICENCES.txt', licencesText(shippedPackages(checkout))),
  textFile('package.json', packageJson(manifestOf(checkout))),
]

/** The package.json of the built program: its dependencies are what the build does not contain. */
const packageJson = (manifest: Manifest): string => {
  const { name, version, description, license, type, engines, bin, dependencies, optionalDependencies } = manifest
  const native = NATIVE_PACKAGES.map((each) => {
    const wanted = dependencies[each]
    if (wanted === undefined) throw new Error(`package.json does not list ${each} among its dependencies`)
    return [each, wanted] as const
  })
  const published = {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin,
    dependencies: Object.fromEntries(native),
    optionalDependencies,
  }
  return `${JSON.stringify(published, null, 2)}\n`
}

/** The files of the package for npm, which has them in a folder `package`. */
export const npmPackage = (checkout: string): PackedFile[] => inFolder('package', programFiles(checkout))
