#include "apps/server/generation_events.h"

#include "apps/server/api_error.h"

namespace heed::server {

GenerationEvents::GenerationEvents(Service& service, const HttpRequest& request)
    : service_(service),
      request_(request),
      begin_(Clock::now()),
      channel_(std::make_shared<Channel>()) {}

GenerationEvents::~GenerationEvents() { cancel_.request_stop(); }

void GenerationEvents::start(const ServedModel& model, const PreparedGeneration& prepared,
                             GenerateTextOptions options, const EventOptions& wanted) {
  const size_t index = started_.size();
  started_.push_back({&model.pipeline, prepared, options.stop});
  read_ += static_cast<int64_t>(prepared.request.source.size() + prepared.request.prompt.size());
  ++left_;
  const auto post = [channel = channel_](GenerationEvent event) {
    {
      const std::lock_guard lock(channel->mutex);
      if (event.kind == GenerationEvent::Kind::done) --channel->unfinished;
      channel->events.push_back(std::move(event));
    }
    channel->changed.notify_one();  // without the lock, which the one that waits needs at once
  };
  {
    const std::lock_guard lock(channel_->mutex);
    ++channel_->unfinished;
  }
  if (prepared.is_empty) {
    GenerationEvent event{.kind = GenerationEvent::Kind::done, .text = index};
    event.generated.generation.ending = Ending::end_token;
    post(std::move(event));
    return;
  }
  options.cancel = cancel_.get_token();
  TextEvents events{.attention = wanted.attention};
  if (wanted.tokens && options.beam.width == 1) {
    events.on_token = [post, index](const TextToken& token) {
      GenerationEvent event{.kind = GenerationEvent::Kind::token, .text = index, .token = token};
      event.alternatives.assign(token.alternatives.begin(), token.alternatives.end());
      event.token.alternatives = {};
      post(std::move(event));
      return true;
    };
  }
  if (wanted.beams) {
    events.on_beam = [post, index](const BeamStep& step) {
      post({.kind = GenerationEvent::Kind::beam, .text = index, .beam = step});
    };
  }
  events.failed = [channel = channel_](const std::exception_ptr& error) {
    const std::lock_guard lock(channel->mutex);
    channel->error = error;
    channel->changed.notify_one();
  };
  // The worker goes on with the others; next() makes the text.
  events.generated = [post, index](Generation generation) {
    GenerationEvent event{.kind = GenerationEvent::Kind::done, .text = index};
    event.generated.generation = std::move(generation);
    post(std::move(event));
  };
  GenerationTask task = generation_task(model.pipeline, prepared, options, std::move(events));
  if (!service_.worker().generate(model.index, std::move(task))) refuse_full(service_);
}

std::optional<GenerationEvent> GenerationEvents::next() {
  if (left_ == 0) return std::nullopt;
  const auto end = begin_ + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(service_.options().seconds));
  std::unique_lock lock(channel_->mutex);
  // A fast model always has a next token. What is finished is sent to its end.
  const auto is_cut = [&] { return service_.is_canceled() && channel_->unfinished > 0; };
  if (is_cut()) throw ApiError(503, "the server is stopping");
  while (channel_->events.empty() && !channel_->error) {
    constexpr auto kLook = std::chrono::milliseconds(50);
    if (channel_->changed.wait_for(lock, kLook) == std::cv_status::no_timeout) continue;
    if (request_.disconnected()) {
      service_.metrics().count_canceled();
      throw ApiError(499, "the client has closed the connection");
    }
    if (is_cut()) throw ApiError(503, "the server is stopping");
    if (Clock::now() >= end) break;
  }
  if (Clock::now() >= end) {
    throw ApiError(504, "the text was not written within the time limit of the server", {},
                   "timeout");
  }
  if (channel_->error) std::rethrow_exception(channel_->error);
  GenerationEvent event = std::move(channel_->events.front());
  channel_->events.pop_front();
  lock.unlock();
  if (!has_first_) {
    has_first_ = true;
    service_.metrics().count_first_token(
        std::chrono::duration<double>(Clock::now() - begin_).count());
  }
  if (event.kind == GenerationEvent::Kind::done) {
    --left_;
    const Started& text = started_[event.text];
    event.generated = generated_text(*text.pipeline, text.prepared,
                                     std::move(event.generated.generation), text.stops);
    const auto generated =
        static_cast<int64_t>(event.generated.generation.log_probabilities.size());
    service_.metrics().count_tokens(left_ == 0 ? read_ : 0, generated);
  }
  return event;
}

}  // namespace heed::server
