import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { buildSite } from '../../cli/bootstrap/builds.mjs'
import { checksums, releaseNotes, sha256 } from '../../packaging/notes.ts'
import { manifestOf } from '../../packaging/program-files.ts'
import { softwareBill } from '../../packaging/sbom.ts'
import { licencesText, shippedPackages } from '../../packaging/third-party.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SECONDS = 1_700_000_000
await buildSite(process.execPath)
const packages = shippedPackages(ROOT)

describe('the bill of materials', () => {
  const bill = softwareBill(ROOT, { ...manifestOf(ROOT), seconds: SECONDS }, packages)

  it('is valid CycloneDX, and has the time of the commit', async () => {
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(bill)).toBeNull()
    expect(JSON.parse(bill)).toMatchObject({ metadata: { timestamp: new Date(SECONDS * 1000).toISOString() } })
  })

  it('names what the program, its threads, its commands, the web app and the site contain, and the native packages', () => {
    const { components } = JSON.parse(bill) as {
      components: Array<{ name: string; version: string; hashes?: unknown[]; licenses?: unknown[] }>
    }
    expect(components.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'fastify',
        'pg',
        'hyparquet',
        'commander',
        '@vue/runtime-core',
        'reka-ui',
        'minisearch',
        'better-sqlite3',
        '@node-rs/argon2',
      ]),
    )
    expect(components.map(({ name }) => name)).not.toContain('vitest')
    expect(components.filter(({ hashes, licenses }) => !hashes?.length || !licenses?.length)).toEqual([])
  })

  it('is the same for the same release, with another serial number for another', () => {
    const again = softwareBill(ROOT, { ...manifestOf(ROOT), seconds: SECONDS }, packages)
    expect(again).toBe(bill)
    const serialOf = (text: string): string => (JSON.parse(text) as { serialNumber: string }).serialNumber
    expect(serialOf(softwareBill(ROOT, { ...manifestOf(ROOT), seconds: SECONDS + 1 }, packages))).not.toBe(
      serialOf(bill),
    )
  })
})

it('the licences name each package once, with its text', () => {
  const text = licencesText(packages)
  expect(text).toMatch(/\nfastify 5\.\d+\.\d+\nLicence: MIT\n\nMIT License\n/)
  expect(text.match(/^Licence: /gm)).toHaveLength(packages.length)
  expect(new Set(packages.map(({ name, version }) => `${name}@${version}`)).size).toBe(packages.length)
  expect(packages.filter(({ identifier, text: licence }) => !identifier && !licence)).toEqual([])
})

describe('the notes', () => {
  const CHANGELOG =
    '# Changelog\n\n## Unreleased (0.12.0)\n\n- New\n\n## 0.2.0, 2026-12-01\n\n### Added\n\n- Old\n\n## 0.1.0\n\n- First\n'
  const kept = new Map([['a.html', Buffer.from('abc')]])

  it('are the section of the version, and the digests of kept files', () => {
    expect(releaseNotes(CHANGELOG, '0.2.0', kept)).toBe(
      `## 0.2.0, 2026-12-01\n\n### Added\n\n- Old\n\n### Files that auditors keep\n\n- \`a.html\`: SHA-256 \`${sha256(Buffer.from('abc'))}\`\n`,
    )
    expect(releaseNotes(CHANGELOG, '0.12.0', kept)).toContain('- New')
    expect(() => releaseNotes(CHANGELOG, '2.0', kept)).toThrow('no section of version 2.0')
  })

  it('digests are as sha256sum prints them, by name', () =>
    expect(
      checksums(
        new Map([
          ['b', Buffer.from('abc')],
          ['a', Buffer.alloc(0)],
        ]),
      ),
    ).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n' +
        'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n',
    ))
})
