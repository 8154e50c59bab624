/** An agent and its model as the name of what was tested. */
export const providerName = (agent: string | null, model: string | null): string | null =>
  agent !== null && model !== null ? `${agent} (${model})` : (agent ?? model)
