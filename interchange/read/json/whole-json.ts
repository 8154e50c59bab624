import { SourceRefused } from '../../document/source-refused.ts'
import { MAX_ELEMENT_BYTES } from './json-elements.ts'
import type { SourceFile } from '../source-file.ts'

/** All bytes of a small file, such as a configuration. Throws `SourceRefused` for more than 64 MiB. */
export const wholeJson = async (file: SourceFile): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of file.bytes()) {
    length += chunk.length
    if (length > MAX_ELEMENT_BYTES) throw new SourceRefused(`${file.name} is larger than ${MAX_ELEMENT_BYTES} bytes`)
    parts.push(Buffer.from(chunk))
  }
  return Buffer.concat(parts, length)
}
