import { partIn } from './data.ts'

/** See `evidence/part-address.ts`. */
export const partAddress = (_run_id: string, sha256: string, type = 'application/octet-stream'): string =>
  `data:${type};base64,${partIn(sha256) ?? ''}`
