import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import { sha256 } from '../../document/identity.ts'
import type { JsonObject } from '../../read/row.ts'

/** Returns whether a resource is another one than all before it. The records of one resource have one object. */
export const newResources = (): ((resource: JsonObject) => boolean) => {
  const seen = new Set<string>()
  let last: JsonObject | null = null
  return (resource) => {
    if (resource === last) return false
    last = resource
    const digest = sha256(canonicalJson(resource))
    if (seen.has(digest)) return false
    seen.add(digest)
    return true
  }
}
