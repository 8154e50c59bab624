export { default } from './reporter.ts'
export type { ReporterOptions } from './reporter.ts'
export { record } from './record.ts'
export type { Recorded, Turn } from './record.ts'
