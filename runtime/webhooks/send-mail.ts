import { mailProblem, type MailConfig } from './mail-address.ts'
import { isTlsCode, type PostDelivery, type Posted } from './post-delivery.ts'

/** What nodemailer adds to an error: its own code, that of the connection, and the answer of the server. */
type Failure = { readonly code?: string; readonly originalCode?: string; readonly responseCode?: number }

const failed = ({ code, originalCode, responseCode }: Failure): Posted => {
  if (code === 'ETLS' || isTlsCode(originalCode ?? '')) return { status: null, error: 'tls' }
  if (responseCode !== undefined) return { status: responseCode, error: 'status' }
  return { status: null, error: code === 'ETIMEDOUT' ? 'timeout' : 'connection' }
}

/** How long the server may take for one step, in milliseconds. */
const STEP_MS = 10_000

/**
 * Returns a function that sends messages of `mailto:` URLs as e-mails, each over a connection of its own. A password is sent
 * only over TLS. The function throws nothing: what went wrong is a code, and a status is one of SMTP.
 */
export const sendMail =
  (mail: MailConfig | null): PostDelivery =>
  async ({ url, headers, body, signal }) => {
    // The settings may have changed since the webhook was made.
    if (!mail || mailProblem(url, mail) !== null) return { status: null, error: 'address_refused' }
    const { createTransport } = await import('nodemailer')
    const server = new URL(mail.url)
    const transport = createTransport({
      url: mail.url,
      requireTLS: server.password !== '',
      connectionTimeout: STEP_MS,
      greetingTimeout: STEP_MS,
      socketTimeout: STEP_MS,
      // Text of a run must never name a file or an address to attach.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const stop = (): void => transport.close()
    signal.addEventListener('abort', stop, { once: true })
    try {
      await transport.sendMail({
        from: mail.from,
        to: url.slice('mailto:'.length),
        subject: headers['subject'] ?? '',
        text: body,
        // The same for each try, so that a mailbox can show a repeated message once.
        messageId: `<${headers['message-id']}@${mail.from.split('@')[1]}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      return { status: null, error: null }
    } catch (error) {
      return signal.aborted ? { status: null, error: 'timeout' } : failed(error as Failure)
    } finally {
      signal.removeEventListener('abort', stop)
      transport.close()
    }
  }
