import { pathTo } from '../../api/api.ts'

/** Where a browser gets the document of a run as it was uploaded. */
export const exportPath = (id: string): string => `/api/v1${pathTo('runs', id, 'export')}`
