import { gzipSync } from 'node:zlib'

/** Byte 9 of a gzip header names the system that wrote it. */
const SYSTEM_BYTE = 9
const UNKNOWN_SYSTEM = 255

const packed = (text: string): Buffer => {
  const bytes = gzipSync(text, { level: 9 })
  bytes[SYSTEM_BYTE] = UNKNOWN_SYSTEM
  return bytes
}

/**
 * An element of a page that is one file, with a text of its data, as HTML. The text is compressed and in base64, which has
 * no character that could end an element. The same text gives the same bytes on every machine.
 */
export const dataElement = (id: string, text: string): string =>
  `<script type="application/octet-stream" id="${id}">${packed(text).toString('base64')}</script>\n`

/** An element with a stored file, in base64 as a `data:` address needs it. */
export const fileElement = (id: string, bytes: Buffer): string =>
  `<script type="application/octet-stream" id="${id}">${bytes.toString('base64')}</script>\n`
