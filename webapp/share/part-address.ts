import { partIn } from './data.ts'

/** See `evidence/part-address.ts`. */
export const partAddress = (path: string, type = 'application/octet-stream'): string =>
  `data:${type};base64,${partIn(path.slice(-64)) ?? ''}`
