import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Authority = {
  /** The path of the authority's own certificate. */
  readonly file: string
  /**
   * Issues a certificate and its key, both in PEM, for a host or a user called `name`. `alternative` is the subject
   * alternative name, such as `DNS:localhost`.
   */
  readonly issue: (name: string, alternative?: string) => { readonly certificate: string; readonly key: string }
}

/** Creates a folder for certificate authorities that only a spec trusts. */
export const certificateFolder = (): {
  readonly folder: string
  readonly authority: (name: string) => Authority
  readonly remove: () => void
} => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-tls-'))
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const authority = (name: string): Authority => {
    openssl(
      'req',
      '-x509',
      ...EC,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.crt`,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
    )
    return {
      file: join(folder, `${name}.crt`),
      issue: (subject, alternative) => {
        const request = `${name}-${subject}`
        openssl('req', ...EC, '-keyout', `${request}.key`, '-out', `${request}.csr`, '-subj', `/CN=${subject}`)
        writeFileSync(
          join(folder, `${request}.ext`),
          alternative ? `subjectAltName=${alternative}\n` : 'basicConstraints=CA:FALSE\n',
        )
        openssl(
          'x509',
          '-req',
          '-in',
          `${request}.csr`,
          '-CA',
          `${name}.crt`,
          '-CAkey',
          `${name}.key`,
          '-CAcreateserial',
          '-days',
          '2',
          '-extfile',
          `${request}.ext`,
          '-out',
          `${request}.crt`,
        )
        return {
          certificate: readFileSync(join(folder, `${request}.crt`), 'utf8'),
          key: readFileSync(join(folder, `${request}.key`), 'utf8'),
        }
      },
    }
  }
  return { folder, authority, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
