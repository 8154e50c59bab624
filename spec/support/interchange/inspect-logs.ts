import { readFileSync, statSync } from 'node:fs'
import { fileOnDisk } from '../../../interchange/read/source-file.ts'
import { openZip } from '../../../interchange/read/zip/zip.ts'
import { leavesOf, type Leaf } from './leaves.ts'

/** The leaves of a log, with the paths that its JSON form has. */
export const leavesInLog = async (path: string): Promise<readonly Leaf[]> => {
  if (!path.endsWith('.eval')) return leavesOf(JSON.parse(readFileSync(path, 'utf8')))
  using zip = await openZip(fileOnDisk(path, statSync(path)))
  const leaves: Leaf[] = []
  for (const member of zip.members.values()) {
    const at = pathOf(member.name, zip.members.has('header.json'))
    if (at !== null) leaves.push(...leavesOf(JSON.parse((await zip.read(member)).toString()), at))
  }
  return leaves
}

/** The path of a member in the JSON form; null for one whose content is in another one too. */
const pathOf = (name: string, hasHeader: boolean): string | null => {
  if (name === 'header.json') return ''
  if (name === '_journal/start.json') return hasHeader ? null : ''
  const part = /^samples\/.*_epoch_\d+(?:\.json|\/(.*)\.json)$/s.exec(name)
  if (part === null) return name.replace(/\d{1,9}\.json$/, '*.json')
  const chunk = part[1]?.split('/')[0]
  return chunk === undefined || chunk === 'sample' ? 'samples.*' : `samples.*.${chunk}`
}
