import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import { PackageURL } from 'packageurl-js'
import parseSpdx from 'spdx-expression-parse'
import * as z from 'zod'
import type { Shipped } from './third-party.ts'

const Lock = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional(), integrity: z.string().optional() })),
})

/** The SHA-512 of packages as npm serves them, by name and version, from the lock file: hexadecimal digits. */
const lockedDigests = (checkout: string): Map<string, string> => {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')))
  return new Map(
    Object.entries(packages).flatMap(([path, { version, integrity }]) => {
      const name = path.split('node_modules/').at(-1) ?? ''
      const digest = integrity?.startsWith('sha512-') ? integrity.slice('sha512-'.length) : undefined
      return version && digest ? [[`${name}@${version}`, Buffer.from(digest, 'base64').toString('hex')] as const] : []
    }),
  )
}

const purl = (name: string, version: string): string => {
  const [scope, inner] = name.startsWith('@') ? name.split('/') : [undefined, name]
  return new PackageURL('npm', scope, inner ?? name, version).toString()
}

const licences = new Contrib.License.Factories.LicenseFactory(parseSpdx)

const componentOf = ({ name, version, identifier }: Shipped, digest: string | undefined): Models.Component => {
  const url = purl(name, version)
  const component = new Models.Component(Enums.ComponentType.Library, name, { version, purl: url, bomRef: url })
  if (identifier !== undefined) component.licenses.add(licences.makeFromString(identifier))
  if (digest !== undefined) component.hashes.set(Enums.HashAlgorithm['SHA-512'], digest)
  return component
}

/** A serial number that is the same for the same release: a UUID (version 8, RFC 9562) of its name, time and packages. */
const serialNumber = (parts: readonly string[]): string => {
  const bytes = createHash('sha256').update(parts.join('\n')).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return `urn:uuid:${bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`
}

/** The software bill of materials of a release (CycloneDX 1.6, JSON): each package that it contains. */
export const softwareBill = (
  checkout: string,
  release: { readonly name: string; readonly version: string; readonly license: string; readonly seconds: number },
  packages: readonly Shipped[],
): string => {
  const { name, version, license, seconds } = release
  const url = purl(name, version)
  const component = new Models.Component(Enums.ComponentType.Application, name, { version, purl: url, bomRef: url })
  component.licenses.add(licences.makeFromString(license))
  const bom = new Models.Bom({
    serialNumber: serialNumber([url, String(seconds), ...packages.map((each) => purl(each.name, each.version))]),
    metadata: new Models.Metadata({ timestamp: new Date(seconds * 1000), component }),
  })
  const digests = lockedDigests(checkout)
  for (const each of packages) {
    const part = componentOf(each, digests.get(`${each.name}@${each.version}`))
    bom.components.add(part)
    component.dependencies.add(part.bomRef)
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
}
