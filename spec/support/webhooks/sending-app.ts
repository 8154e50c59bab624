import { afterEach, expect } from 'vitest'
import type { WebhookView } from '../../../queries/webhooks/webhooks.ts'
import { postDelivery, type PostDelivery } from '../../../runtime/webhooks/post-delivery.ts'
import type { MailConfig } from '../../../runtime/webhooks/mail-address.ts'
import { sendMail } from '../../../runtime/webhooks/send-mail.ts'
import { createWebhookSender, type WebhookSender } from '../../../runtime/webhooks/sender.ts'
import { sealedTargets } from '../../../runtime/webhooks/targets.ts'
import { newIds } from '../../../http/identity/ids.ts'
import { createPeople, type Person } from '../access/accounts.ts'
import { openApp } from '../servers/app.ts'
import { capturedLog } from '../stores/captured-log.ts'
import { openReceiver } from './receiver.ts'

export const SECRET_KEY = Buffer.alloc(32, 7)
const ALLOWED = { hosts: [], ranges: ['127.0.0.1'] }

export type CreatedWebhook = WebhookView & { readonly secret: string }

type Options = {
  readonly mail?: MailConfig | null
  readonly post?: PostDelivery
  readonly deadline?: () => AbortSignal
  readonly isShared?: boolean
}

/** A request has no deadline but that of a spec: a slow machine must not end it. */
const never = (): AbortSignal => new AbortController().signal

/** Calls what is scheduled when a spec says so. */
const manualSchedule = () => {
  const waiting = new Set<() => void>()
  const callAll = (): void => {
    const due = [...waiting]
    waiting.clear()
    for (const work of due) work()
  }
  return {
    waiting,
    callAll,
    schedule: (_ms: number, work: () => void) => {
      waiting.add(work)
      return () => void waiting.delete(work)
    },
  }
}

/** A sender whose next look at the log, and whose time, a spec decides. */
const openSender = (
  spec: Awaited<ReturnType<typeof openApp>>,
  now: () => number,
  { isShared = false, mail = null, ...options }: Options,
) => {
  const { schedule, waiting, callAll } = manualSchedule()
  const { logger, lines } = capturedLog()
  const sender: WebhookSender = createWebhookSender(
    { ...spec.service, now, logger, mint: newIds() },
    {
      targets: sealedTargets(SECRET_KEY),
      allowed: ALLOWED,
      mail: sendMail(mail),
      publicUrl: 'https://results.example',
      isShared,
      schedule,
      random: () => 0.5,
      post: postDelivery(),
      deadline: never,
      ...options,
    },
  )
  sender.start()
  return {
    sender,
    lines,
    /** Looks at the log once; what it starts to send may go on afterwards. */
    tick: async () => {
      callAll()
      await expect.poll(() => waiting.size, { interval: 5 }).toBe(1)
    },
    close: async () => {
      const closed = sender.close()
      // The time that a stop waits for requests.
      callAll()
      await closed
    },
  }
}

/**
 * Opens apps with a receiver and a sender, which are closed when the spec ends. The time stands still until a spec sets
 * it.
 */
export const sendingAppOpener = () => {
  const closing: Array<() => Promise<unknown>> = []
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
  })
  return async (options: Options = {}) => {
    let time = Date.now()
    const now = () => time
    const receiver = await openReceiver()
    closing.push(receiver.close)
    const spec = await openApp({ now, secretKey: SECRET_KEY, webhookTargets: ALLOWED, mail: options.mail ?? null })
    closing.push(spec.close)
    const people = await createPeople(spec)
    const ada = await people.person('ada', 'member')
    let sending = openSender(spec, now, options)
    closing.push(() => sending.close())
    const states = async (): Promise<string[]> =>
      (await spec.column('SELECT state FROM webhook_deliveries ORDER BY delivery_id')) as string[]
    const create = async (body: object, { token }: Pick<Person, 'token'> = ada): Promise<CreatedWebhook> => {
      const answer = await people.ask('POST', '/webhooks', { token, body: { url: receiver.url, ...body } })
      expect(answer.statusCode, answer.body).toBe(201)
      return answer.json<CreatedWebhook>()
    }
    return {
      ...people,
      spec,
      ada,
      receiver,
      create,
      states,
      now,
      /** Moves the time on, or back. */
      wait: (ms: number) => void (time += ms),
      tick: () => sending.tick(),
      lines: () => sending.lines,
      counts: () => sending.sender.counts(),
      /** Ends the sender and starts another one on the same store. */
      restart: async (again: Options = options) => {
        await sending.close()
        sending = openSender(spec, now, again)
      },
      /** Looks at the log, and waits until nothing that is due is waiting. */
      send: async () => {
        await sending.tick()
        await expect
          .poll(async () => spec.column(`SELECT count(*) FROM webhook_deliveries WHERE next_at <= ${time}`), {
            interval: 5,
          })
          .toEqual([0])
      },
    }
  }
}
export type SendingApp = Awaited<ReturnType<ReturnType<typeof sendingAppOpener>>>
