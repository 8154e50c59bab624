import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

/** The packages that the build does not contain, because they load a native library by its path. */
export const NATIVE_PACKAGES = ['@node-rs/argon2', 'better-sqlite3']

/** A package whose code a release contains, with its licence as the package states it. */
const Shipped = z.object({
  name: z.string(),
  version: z.string(),
  identifier: z.string().optional(),
  text: z.string().optional(),
})
export type Shipped = z.infer<typeof Shipped>

/** The lists that the builds write of what they contain (`build.license` in their configurations). */
const listsIn = (checkout: string): string[] =>
  ['dist', 'webapp/dist', 'site/dist'].flatMap((folder) => {
    const names = readdirSync(join(checkout, folder)).filter((name) => name.endsWith('licenses.json'))
    if (names.length === 0)
      throw new Error(`${folder} has no list of its packages: run \`npm run build\` and \`npm run docs\``)
    return names.map((name) => join(checkout, folder, name))
  })

const Manifest = z.object({ version: z.string(), license: z.string() })

/** A package of `node_modules` that is not in the build, but in the archives. */
const installedPackage = (checkout: string, name: string): Shipped => {
  const folder = join(checkout, 'node_modules', name)
  const { version, license } = Manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
  const file = join(folder, 'LICENSE')
  return {
    name,
    version,
    identifier: license,
    ...(existsSync(file) ? { text: readFileSync(file, 'utf8').trim() } : {}),
  }
}

/** All packages whose code is in the build or comes with it, by name and version. */
export const shippedPackages = (checkout: string): Shipped[] => {
  const bundled = listsIn(checkout).flatMap((path) => z.array(Shipped).parse(JSON.parse(readFileSync(path, 'utf8'))))
  const native = NATIVE_PACKAGES.map((name) => installedPackage(checkout, name))
  const byKey = new Map([...bundled, ...native].map((each) => [`${each.name}@${each.version}`, each]))
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each)
}

/** The file that names each package with its licence, and has the text of the licence. */
export const licencesText = (packages: readonly Shipped[]): string =>
  [
    'This program contains the packages below. Their licences follow, as the packages state them.\n',
    ...packages.map(
      ({ name, version, identifier, text }) =>
        `${'-'.repeat(80)}\n${name} ${version}\nLicence: ${identifier ?? 'see the text'}\n\n${text ?? '(The package has no text of its licence.)'}\n`,
    ),
  ].join('\n')
