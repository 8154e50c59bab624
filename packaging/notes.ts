import { createHash } from 'node:crypto'

/** The SHA-256 of bytes as hexadecimal digits. */
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The lines of SHA256SUMS for `sha256sum --check`, by name. */
export const checksums = (files: ReadonlyMap<string, Uint8Array>): string =>
  [...files]
    .map(([name, bytes]) => ({ name, sum: sha256(bytes) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, sum }) => `${sum}  ${name}\n`)
    .join('')

/**
 * The notes of a version: its section of the changelog, and the digests of the files that auditors keep. Throws if the
 * changelog has no section of the version.
 */
export const releaseNotes = (changelog: string, version: string, kept: ReadonlyMap<string, Uint8Array>): string => {
  const sections = changelog.split(/^(?=## )/m)
  const section = sections.find((each) =>
    /^## .*/
      .exec(each)?.[0]
      .split(/[^\d.]+/)
      .includes(version),
  )
  if (section === undefined) throw new Error(`CHANGELOG.md has no section of version ${version}`)
  return `${section.trimEnd()}\n\n### Files that auditors keep\n\n${[...kept]
    .map(([name, bytes]) => `- \`${name}\`: SHA-256 \`${sha256(bytes)}\``)
    .join('\n')}\n`
}
