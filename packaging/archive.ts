import { textFile, type PackedFile } from './files.ts'
import { programFiles } from './program-files.ts'

/** The kinds of machines that have an archive: Linux with glibc. */
export const PLATFORMS = ['linux-x64', 'linux-arm64'] as const
export type Platform = (typeof PLATFORMS)[number]

/** Starts the program with the Node next to it, also through symbolic links. The settings of the allocator are those of relay.mjs. */
const STARTER = `#!/bin/sh
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=\${self%/*}/$target ;;
  esac
done
case $self in
  */*) here=$(CDPATH='' cd -- "\${self%/*}/" && pwd) ;;
  *) here=$(pwd) ;;
esac
export MALLOC_ARENA_MAX="\${MALLOC_ARENA_MAX-2}"
export MALLOC_MMAP_THRESHOLD_="\${MALLOC_MMAP_THRESHOLD_-131072}"
export MALLOC_TRIM_THRESHOLD_="\${MALLOC_TRIM_THRESHOLD_-131072}"
exec "$here/bin/node" "$here/dist/ers.js" "$@"
`

/** The packages that a machine of a kind needs in an archive, and which of their files. */
const partsOf = (platform: Platform): ReadonlyArray<readonly [name: string, isKept: (path: string) => boolean]> => [
  [
    'better-sqlite3',
    (path) => /^(?:package\.json|LICENSE|lib\/.*)$/.test(path) || path === `prebuilds/${platform}.node`,
  ],
  ['@node-rs/argon2', (path) => ['package.json', 'LICENSE', 'index.js'].includes(path)],
  [`@node-rs/argon2-${platform}-gnu`, (path) => path === 'package.json' || path.endsWith('.node')],
]

/** The file of a package. Throws if it has none of this path. */
const fileOf = (files: ReadonlyMap<string, Buffer>, path: string, as: string): PackedFile => {
  const bytes = files.get(path)
  if (bytes === undefined) throw new Error(`the package has no file ${path}`)
  return { path: as, bytes }
}

/** Returns the files of a package by their paths in it. */
type ReadPackage = (name: string) => Promise<ReadonlyMap<string, Buffer>>

/** What the packages for a kind of machine add to the program: its Node and its native libraries. */
const platformFiles = async (platform: Platform, readPackage: ReadPackage): Promise<PackedFile[]> => {
  const node = await readPackage(`node-${platform}`)
  const native = await Promise.all(
    partsOf(platform).map(async ([name, isKept]) => {
      const files = [...(await readPackage(name))].filter(([path]) => isKept(path))
      return files.map(([path, bytes]) => ({ path: `node_modules/${name}/${path}`, bytes }))
    }),
  )
  const libraries = native.flat().filter(({ path }) => path.endsWith('.node'))
  if (libraries.length !== 2)
    throw new Error(`${platform} needs the native libraries of SQLite and Argon2, and has ${libraries.length}`)
  return [
    { ...fileOf(node, 'bin/node', 'bin/node'), executable: true },
    fileOf(node, 'LICENSE', 'bin/LICENSE-node'),
    ...native.flat(),
    { ...textFile('ers', STARTER), executable: true },
  ]
}

/** The files of the archive for a kind of machine. The checkout must be built. */
export const archiveFiles = async (
  checkout: string,
  platform: Platform,
  readPackage: ReadPackage,
): Promise<PackedFile[]> => [...programFiles(checkout), ...(await platformFiles(platform, readPackage))]
