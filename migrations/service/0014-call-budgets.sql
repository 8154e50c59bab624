-- How many tool calls each agent may still make, as the time at which its budget is full again. Replicas share it. It has
-- no history and is no read table: requests write it, a replay does not. Without replicas the budgets are in memory.
CREATE TABLE call_budgets (
  caller :key PRIMARY KEY,
  full_at bigint NOT NULL
);
