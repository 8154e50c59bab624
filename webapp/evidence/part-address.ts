import { pathTo } from '../api/api.ts'

/** Where the browser finds a part of a run. A page that is one file has the bytes, for which it needs their type. */
export const partAddress = (run_id: string, sha256: string, _type?: string): string =>
  `/api/v1${pathTo('runs', run_id, 'parts', sha256)}`
