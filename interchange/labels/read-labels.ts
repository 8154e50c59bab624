import type { LabelFormat } from '../../domain/review/imported.ts'
import { readArgilla } from './argilla.ts'
import { readCsv } from './csv.ts'
import type { ForeignLabels, LabelReader, LabelWish } from './label-file.ts'
import { readLabelStudio } from './label-studio.ts'
import { readLangfuse } from './langfuse.ts'
import { readLangsmith } from './langsmith.ts'

const READERS: Readonly<Record<LabelFormat, LabelReader>> = {
  'label-studio': readLabelStudio,
  argilla: readArgilla,
  langfuse: readLangfuse,
  langsmith: readLangsmith,
  csv: readCsv,
}

/** Reads the labels of people in a file of another tool. Throws `SourceRefused`, which names the place in the file. */
export const readLabels = (format: LabelFormat, content: Uint8Array, wish: LabelWish): Promise<ForeignLabels> =>
  READERS[format](content, wish)
