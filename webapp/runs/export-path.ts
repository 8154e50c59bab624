import type { ExportFormat } from '../../domain/report/export-formats.ts'
import { pathTo } from '../api/api.ts'

/**
 * The address that downloads a run in a format; without one, its document as it was uploaded. CSV begins with a byte order
 * mark: spreadsheets read a file without one in another encoding than UTF-8.
 */
export const exportPath = (id: string, format?: ExportFormat): string =>
  `/api/v1${format === undefined ? pathTo('runs', id, 'export') : pathTo('runs', id, 'export', format)}${format === 'csv' ? '?bom=true' : ''}`
