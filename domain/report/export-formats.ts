// The formats in which a run leaves the service. The uploaded document itself has its own route.

/** The formats of `GET /runs/{id}/export/{format}`, in the order in which they are offered. */
export const EXPORT_FORMAT_NAMES = ['jsonl', 'csv', 'parquet', 'junit', 'ctrf', 'every-eval-ever'] as const
export type ExportFormat = (typeof EXPORT_FORMAT_NAMES)[number]

export type ExportFormatFacts = {
  /** The format as people name it. */
  readonly label: string
  /** What reads it, in a few words. */
  readonly purpose: string
  readonly contentType: string
  /** The end of a file name, with its dot. */
  readonly ending: string
  /** Part of the ETag. Increase it when a change makes the same document give other bytes. */
  readonly version: number
  /** Whether gzip makes the file smaller. Parquet is compressed already. */
  readonly isCompressible: boolean
}

export const EXPORT_FORMATS: Readonly<Record<ExportFormat, ExportFormatFacts>> = {
  jsonl: {
    label: 'JSON Lines',
    purpose: 'the run, then each case, one per line',
    contentType: 'application/x-ndjson',
    ending: '.jsonl',
    version: 1,
    isCompressible: true,
  },
  csv: {
    label: 'CSV',
    purpose: 'for spreadsheets',
    contentType: 'text/csv; charset=utf-8',
    ending: '.csv',
    version: 2,
    isCompressible: true,
  },
  parquet: {
    label: 'Parquet',
    purpose: 'for notebooks and warehouses',
    contentType: 'application/vnd.apache.parquet',
    ending: '.parquet',
    version: 3,
    isCompressible: false,
  },
  junit: {
    label: 'JUnit XML',
    purpose: 'for CI systems',
    contentType: 'application/xml; charset=utf-8',
    ending: '.junit.xml',
    version: 1,
    isCompressible: true,
  },
  ctrf: {
    label: 'CTRF',
    purpose: 'Common Test Report Format',
    contentType: 'application/json',
    ending: '.ctrf.json',
    version: 1,
    isCompressible: true,
  },
  'every-eval-ever': {
    label: 'Every Eval Ever',
    purpose: 'for other tools',
    contentType: 'application/zip',
    ending: '.every-eval-ever.zip',
    version: 1,
    isCompressible: true,
  },
}
