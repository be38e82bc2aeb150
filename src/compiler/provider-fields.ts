/** The providers that constraints can be given for. */
export type ProviderName = "openai" | "anthropic";

const CHAT_COMPLETIONS = `
  audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata
  modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options
  prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream
  stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options`;

const RESPONSES = `
  background context_management conversation include input instructions max_output_tokens max_tool_calls metadata model
  moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention
  reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs
  top_p truncation user`;

/** With what the beta versions and other hosts of the API add. */
const MESSAGES = `
  anthropic_beta anthropic_version betas cache_control compaction container context_management diagnostics
  fallback_credit_token fallbacks inference_geo max_tokens mcp_servers messages metadata model output_config output_format
  service_tier speed stop_sequences stream system temperature thinking thread tool_choice tools top_k top_p
  user_profile_id workspace_id`;

function words(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.trim().split(/\s+/)));
}

/** The top-level fields of the requests that each provider takes. */
export const PROVIDER_FIELDS: Readonly<Record<ProviderName, ReadonlySet<string>>> = {
  openai: words(CHAT_COMPLETIONS, RESPONSES),
  anthropic: words(MESSAGES),
};
