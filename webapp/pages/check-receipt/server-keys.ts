/** The vkeys that this server says are its own, one per line; empty if it signs no checkpoints or does not answer. */
export const findServerKeys = async (signal: AbortSignal): Promise<string> => {
  const response = await fetch('/api/v1/log/keys', { signal, credentials: 'omit' }).catch(() => null)
  return response?.ok ? (await response.text()).trim() : ''
}
