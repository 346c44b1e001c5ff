#pragma once
/// What to do next.

#include <string>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/message.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

/// One of the places where a GPU can be had, with the range of its price.
struct Place {
  std::string where;
  Message name, cost, setup, best_for;
  Fact<double> usd_per_hour_low, usd_per_hour_high;
  Fact<std::string> price_as_of;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("where", s.where, Unit::none, "local, colab or rented");
    f("name", s.name, Unit::none, "name for people");
    f("cost", s.cost, Unit::none, "cost for people");
    f("setup", s.setup, Unit::none, "what it takes to start");
    f("best_for", s.best_for, Unit::none, "what it is best for");
    f("usd_per_hour_low", s.usd_per_hour_low, Unit::usd_per_hour, "cheapest listed GPU");
    f("usd_per_hour_high", s.usd_per_hour_high, Unit::usd_per_hour, "dearest listed up to 2 USD/h");
    f("price_as_of", s.price_as_of, Unit::none, "date of the price table");
  }
};

struct Next {
  std::vector<Message> steps;
  std::vector<Place> places;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("steps", s.steps, Unit::none, "what to do now, most useful first");
    f("places", s.places, Unit::none, "where a GPU can be had; empty when one is usable here");
  }
};

}  // namespace gpuready
