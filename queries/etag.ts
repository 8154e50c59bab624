import { hash } from 'node:crypto'

/** A strong ETag of the bytes of a body. It depends on nothing that the viewer cannot see. */
export const etagOf = (body: string | Uint8Array): string => `"${hash('sha256', body, 'base64url')}"`
