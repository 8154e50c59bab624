import { pathTo } from '../../api/api.ts'

/** The address that downloads a run's document as it was uploaded. */
export const exportPath = (id: string): string => `/api/v1${pathTo('runs', id, 'export')}`
