/** One line of the report. `remedy` says what to do; null where there is nothing to do. */
export type Finding = {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'error'
  readonly message: string
  readonly remedy: string | null
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message, remedy: null })

export const warning = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'warning',
  message,
  remedy,
})

export const failure = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'error',
  message,
  remedy,
})
