import { MAX_ELEMENT_BYTES } from './json-elements.ts'
import { wholeFile, type SourceFile } from '../source-file.ts'

/** All bytes of a small file, such as a configuration. Throws `SourceRefused` for more than 64 MiB. */
export const wholeJson = (file: SourceFile): Promise<Buffer> =>
  wholeFile(file, MAX_ELEMENT_BYTES, `${file.name} is larger than ${MAX_ELEMENT_BYTES} bytes`)
