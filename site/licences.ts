import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vitepress'

/** The file with the packages whose code the site contains, in the form of `build.license` of Vite 8. */
export const LICENCES = 'licenses.json'

/** A package by its folder, with the text of its licence. */
const packageIn = (folder: string) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly version: string
    readonly license?: string
  }
  const file = readdirSync(folder).find((each) => /^licen[cs]e(?:\.\w+)?$/i.test(each))
  return {
    name,
    version,
    ...(license === undefined ? {} : { identifier: license }),
    ...(file === undefined ? {} : { text: readFileSync(join(folder, file), 'utf8').trim() }),
  }
}

/** The folder of the package of a module; null for our own. */
const folderOf = (id: string): string | null => {
  const folder = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
  return folder !== undefined && existsSync(join(folder, 'package.json')) ? folder : null
}

/** Writes the list of the packages that a build contains. */
export const listLicences: Plugin = {
  name: 'list-licences',
  apply: (_config, { isSsrBuild }) => isSsrBuild !== true,
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []))
    const folders = new Set(modules.flatMap((id) => folderOf(id) ?? []))
    const packages = [...folders].toSorted().map(packageIn)
    this.emitFile({ type: 'asset', fileName: LICENCES, source: JSON.stringify(packages, null, 2) })
  },
}
